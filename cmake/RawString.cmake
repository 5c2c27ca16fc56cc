# raw_string(VARIABLE FILE): the file's text as C++ string literals, byte for byte. Compilers limit
# the length of one literal: pieces of up to 8000 characters, cut anywhere.
function(raw_string variable file)
  file(READ "${file}" text)
  set(code "")
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND code "R\"kernel(${piece})kernel\"\n           ")
    math(EXPR at "${at} + 8000")
  endwhile()
  set(${variable} "${code}" PARENT_SCOPE)
endfunction()
