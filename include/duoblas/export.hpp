// What the shared library offers to others; everything else is hidden.
#ifndef DUOBLAS_EXPORT_HPP
#define DUOBLAS_EXPORT_HPP

#define DUOBLAS_API __attribute__((visibility("default")))

#endif
