"""Who may include whom: read from the tables of docs/design.md, section "Layout"."""

FOLDERS = "| folder | holds | may include |"
FOREIGN = "| headers of other libraries | may be included by |"
NOTHING = "nothing of ours"


def rows(page, heading):
    """The cells of the table under this line of headings."""
    lines = page.splitlines()
    if heading not in lines:
        raise ValueError(f"docs/design.md has no table with the headings {heading}")
    found = []
    for line in lines[lines.index(heading) + 2:]:
        if not line.startswith("|"):
            break
        found.append([cell.strip().strip("`") for cell in line.strip().strip("|").split("|")])
    return found


def layer_name(folder):
    """"src/planner" is the layer planner, "include/duoblas" is include."""
    return folder.removeprefix("src/").removesuffix("/duoblas")


class IncludeRules:
    def __init__(self, page):
        # Per layer: the layers and headers that it may include besides itself.
        self.may_include = {
            layer_name(folder): {entry.strip() for entry in allowed.split(",")} - {NOTHING}
            for folder, _, allowed in rows(page, FOLDERS)}
        # Per foreign library: patterns of paths from the project's root.
        self.foreign = {library: [pattern.strip() for pattern in patterns.split(",")]
                        for library, patterns in rows(page, FOREIGN)}
        unknown = {entry for allowed in self.may_include.values() for entry in allowed
                   if self.longest_layer(entry) is None}
        if unknown:
            raise ValueError(f"docs/design.md allows unknown folders: {', '.join(sorted(unknown))}")

    def longest_layer(self, path):
        """The layer that `path` is or lies in; of nested ones the inner."""
        parts = path.split("/")
        for length in range(len(parts), 0, -1):
            if "/".join(parts[:length]) in self.may_include:
                return "/".join(parts[:length])
        return None

    @staticmethod
    def allows(allowed, layer):
        """Whoever may include a layer may include those that lie in it."""
        parts = layer.split("/")
        return any("/".join(parts[:length]) in allowed for length in range(1, len(parts) + 1))

    def layer_of_file(self, path):
        """The layer of a file of the tree, and what its includes may name."""
        if path.startswith("tests/"):
            own = self.longest_layer(path)
            if own != "tests":
                return own, self.may_include[own] | {"tests/support"}
            tested = [layer for layer in self.may_include
                      if path.startswith(f"tests/{layer.split('/')[0]}/")]
            allowed = set(tested).union(*(self.may_include[layer] for layer in tested))
            return "tests", allowed | self.may_include["tests"] | {"include"}
        own = self.longest_layer(path.removeprefix("src/"))
        return own, self.may_include.get(own, set())
