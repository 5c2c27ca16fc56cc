"""Man pages and completion hold what --help holds, and bash completes with it."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from command import CommandTest


class Manual(CommandTest):
    def commands(self, *path):
        """Every command line that has a --help: () is duoblas itself."""
        yield path
        for name in re.findall(r"^  ([a-z]+) {2,}", self.subcommands_of(path), re.MULTILINE):
            yield from self.commands(*path, name)

    def subcommands_of(self, path):
        text = self.duoblas(*path, "--help").stdout
        found = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.MULTILINE)
        return found.group(1) if found else ""

    def options_of(self, path):
        """The long options of --help, in the order of their lines."""
        text = self.duoblas(*path, "--help").stdout
        return re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text.split("Examples:")[0], re.MULTILINE)

    def page_of(self, path):
        """A man page's text, with roff's escapes taken back."""
        return self.duoblas("man", *path[:1]).stdout.replace("\\-", "-")

    def test_pages_and_scripts_have_every_option_of_every_command(self):
        scripts = {shell: self.duoblas("completion", shell).stdout
                   for shell in ("bash", "zsh")}
        options = 0
        for path in self.commands():
            page = self.page_of(path)
            for option in self.options_of(path):
                options += 1
                with self.subTest(command=" ".join(path), option=option):
                    self.assertIn(f"\\fB{option}\\fR", page)
                    self.assertIn(option, self.bash_words(scripts["bash"], path))
                    self.assertIn(option, self.zsh_function(scripts["zsh"], path))
            for name in path[1:]:
                self.assertIn(f".SS {name}\n", page)
        self.assertGreater(options, 80)

    @staticmethod
    def bash_words(script, path):
        name = " ".join(("duoblas", *path))
        return re.search(rf'^    "{name}"\) words="(.*?)"', script, re.MULTILINE).group(1).split()

    @staticmethod
    def zsh_function(script, path):
        name = "_" + "_".join(("duoblas", *path))
        body = re.search(rf"^{name}\(\) {{\n(.*?)^}}", script, re.MULTILINE | re.DOTALL).group(1)
        return re.findall(r"'\*?(--[a-z-]+)=?\[", body)

    def test_pages_are_written_into_a_folder_and_one_is_of_each_subcommand(self):
        folder = self.folder / "man1"
        self.duoblas("man", "--folder", str(folder))
        names = {path.name for path in folder.iterdir()}
        wanted = {f"duoblas-{path[0]}.1" for path in self.commands() if len(path) == 1}
        self.assertEqual(names, wanted | {"duoblas.1"})
        for path in folder.iterdir():
            text = path.read_text(encoding="utf-8")
            for section in (".TH DUOBLAS", ".SH NAME\n", ".SH SYNOPSIS\n", ".SH SEE ALSO\n"):
                self.assertIn(section, text)
            self.no_complaint_of_groff(path)

    def no_complaint_of_groff(self, path):
        """Where it is installed: Debian's groff-base, which man needs."""
        if shutil.which("groff") is None:
            return
        ran = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", str(path)],
                             capture_output=True, text=True, check=False)
        self.assertEqual(ran.stderr, "", path)

    def test_of_the_command_and_of_the_documents_have_every_variable_that_is_read(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        read = set(re.findall(r'"(DUOBLAS_\w+)"',
                              (root / "src/api/settings.cpp").read_text(encoding="utf-8")))
        table = (root / "docs/commands.md").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r"^\| `(DUOBLAS_\w+)` \|", table, re.MULTILINE)), read)
        page = self.duoblas("man").stdout.split(".SH ENVIRONMENT\n")[1]
        self.assertEqual(set(re.findall(r"^\\fB(DUOBLAS_\w+)\\fR$", page, re.MULTILINE)), read)

    def test_wrong_names_and_folders_are_told(self):
        self.assertIn("multiply", self.duoblas("man", "multiply", expect=2).stderr)
        self.assertIn("{bash,zsh}", self.duoblas("completion", "tcsh", expect=2).stderr)
        self.duoblas("completion", expect=2)
        file = self.folder / "a_file"
        file.write_text("")
        self.assertIn(str(file), self.duoblas("man", "--folder", str(file), expect=1).stderr)


class Bash(CommandTest):
    def setUp(self):
        super().setUp()
        self.script = self.folder / "duoblas.bash"
        self.script.write_text(self.duoblas("completion", "bash").stdout, encoding="utf-8")

    def completes(self, *words):
        """What is offered for the last word."""
        program = ('. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _duoblas; '
                   'printf "%s\\n" "${COMPREPLY[@]}"')
        ran = subprocess.run(["bash", "--norc", "-c", program, "bash", str(self.script), *words],
                             capture_output=True, text=True, check=True, env={**os.environ})
        self.assertEqual(ran.stderr, "")
        return ran.stdout.split()

    def test_offers_subcommands_options_and_values(self):
        self.assertEqual(self.completes("duoblas", "tu"), ["tune"])
        self.assertEqual(self.completes("duoblas", "profile", "ex"), ["export"])
        self.assertEqual(self.completes("duoblas", "tune", "--obj"), ["--objective"])
        self.assertEqual(self.completes("duoblas", "tune", "--objective", ""),
                         ["throughput", "energy", "edp"])
        self.assertEqual(self.completes("duoblas", "tune", "--objective", "=", "en"), ["energy"])
        self.assertEqual(self.completes("duoblas", "profile", "remove", "--a"), ["--all"])
        self.assertEqual(self.completes("duoblas", "completion", "z"), ["zsh"])

    def test_offers_nothing_of_its_own_for_numbers_files_and_a_programs_arguments(self):
        self.assertEqual(self.completes("duoblas", "tune", "--budget", ""), [])
        self.assertEqual(self.completes("duoblas", "bench", "--json", ""), [])
        self.assertEqual(self.completes("duoblas", "run", "python3", "--su"), [])

    def test_offers_options_of_run_and_programs(self):
        self.assertEqual(self.completes("duoblas", "run", "--su"), ["--summary"])
        self.assertIn("bash", self.completes("duoblas", "run", "bas"))


if __name__ == "__main__":
    unittest.main()
