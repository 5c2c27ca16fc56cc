"""Classes of two files that have one name: of their inline members the linker keeps one for both."""
import re

NAMESPACE = re.compile(r"^(?:inline )?namespace *([\w:]*) *\{")
NAMESPACE_END = re.compile(r"^\} *// namespace")
CLASS = re.compile(r"^(?:template.*> )?(?:class|struct|union) +(?:DUOBLAS_API +)?(\w+)(?: final)?"
                   r"(?: *:[^:].*)? *\{")


def classes_of(text):
    """Full names. Those of unnamed namespaces are the file's own, and nested ones their class's."""
    spaces = []
    for line in text.splitlines():
        if found := NAMESPACE.match(line):
            spaces.append(found.group(1))
        elif NAMESPACE_END.match(line):
            del spaces[-1:]
        elif (found := CLASS.match(line)) and "" not in spaces:
            yield "::".join([*spaces, found.group(1)])


def repeated_classes(files):
    """`files`: (path, text). Pairs: the later path, and what is wrong there."""
    known = {}
    for path, text in files:
        for name in classes_of(text):
            other = known.setdefault(name, path)
            if other != path:
                yield path, f"defines {name}, as {other} does"
