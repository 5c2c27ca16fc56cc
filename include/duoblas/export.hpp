// Marks what the shared library exports; everything else is hidden.
#ifndef DUOBLAS_EXPORT_HPP
#define DUOBLAS_EXPORT_HPP

#define DUOBLAS_API __attribute__((visibility("default")))

#endif
