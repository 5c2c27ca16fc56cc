/* The objects of the process that the dynamic loader knows. */
#ifndef DUOBLAS_DROPIN_LOADED_OBJECTS_H
#define DUOBLAS_DROPIN_LOADED_OBJECTS_H

/* How many objects were loaded in the life of the process; never 0. */
unsigned long long count_of_loads(void);

/* Whether an object is loaded whose file's name begins so. */
int is_loaded(const char* file);

/* A handle of the object around an address; null where there is none. Keeps it loaded. */
void* object_around(const void* address);

/* The name under which the object around an address was loaded, "" of the executable; null where
 * there is none. Valid as long as the object is loaded. */
const char* name_of_object(const void* address);

/* Its absolute path without links, PATH_MAX bytes, wherever the program has changed to since it was
 * loaded. 0: it is not there any more. */
int find_path_of_object(const void* address, char* path);

/* The lowest address of the object around an address, and the one behind its highest; null where
 * there is none. */
const void* start_of_object(const void* address);
const void* end_of_object(const void* address);

/* Whether the object around an address itself has a definition of a symbol. */
int has_definition(const void* address, const char* symbol);

/* Keeps the object around an address loaded for good. */
void keep_loaded(const void* address);

/* The address itself; null if it lies in this library or in another copy of it, under whatever name
 * that is installed. */
void* not_of_a_dropin(void* address);

/* The definition that objects get which refer to a symbol by its name, unless they bring their own;
 * null: none. */
void* visible_to_all(const char* symbol);

/* The first definition of a symbol in any object of the process, whether or not the program can see
 * it, for which `is_wanted` answers 1. */
void* defined_in_any_object(const char* symbol, int (*is_wanted)(void* definition, void* data),
                            void* data);

#endif
