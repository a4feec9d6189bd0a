"""What `tileproof xla --json` says, as an object."""

import html
from dataclasses import dataclass, field


UNDECIDED = ("EqualIeeeOnly", "Inconclusive", "Unsupported")


def verdict_of(stage):
    """`Benign{excess-precision}`: a verdict with what it says besides its name."""
    verdict = dict(stage["verdict"])
    name = verdict.pop("verdict")
    return f"{name}{{{', '.join(map(str, verdict.values()))}}}" if verdict else name


def lines_of(finding):
    """Where a finding is, and the first element that shows it."""
    yield f"{finding['verdict']}: {finding['op']} at {finding['location']} ({finding['pass']}; inputs {finding['class']}, seed {finding['seed']})"
    for place, difference in (("at the op", finding["at_op"]), ("at the results", finding["at_output"])):
        if difference:
            want, got = (f"{difference[k]} ({difference[k + '_bits']})" for k in ("want", "got"))
            where = f"element {difference['index']} of output {difference['output']}"
            yield f"  {place}: {where}: want {want}, got {got}; {difference['differing']} of {difference['total']} differ"


@dataclass(frozen=True)
class Report:
    """Result of a check. `modules` is the JSON of the command, one entry a compiled module."""

    verdict: str
    exit_code: int
    modules: list
    command: list = field(repr=False)
    script: str | None = field(default=None, repr=False)
    messages: str = field(default="", repr=False)

    @property
    def stages(self):
        """All stages in order, as the command lists them."""
        return [stage for module in self.modules for stage in module["stages"]]

    @property
    def first_broken(self):
        """The first stage that changed what the program computes, or None."""
        return next((m["first_broken"] for m in self.modules if m["first_broken"]), None)

    @property
    def findings(self):
        return [finding for module in self.modules for finding in module["findings"]]

    @property
    def is_broken(self):
        return self.exit_code == 1

    @property
    def notes(self):
        """What the verdict rests on, and what was not decided."""
        return [note for module in self.modules for note in module["notes"]]

    def __str__(self):
        lines = [f"{s['stage']:7}  {s['dump']:4}  {s['pipeline']:40}  {s['name']:40}  {verdict_of(s)}" for s in self.stages]
        broken = self.first_broken
        if broken:
            place = f" (dump {broken['dump']} of pipeline {broken['pipeline']})" if broken["dump"] else ""
            lines.append(f"first broken: {broken['stage']} {broken['name']}{place}")
        lines += [line for finding in self.findings for line in lines_of(finding)]
        undecided = [verdict_of(s) for s in self.stages if s["verdict"]["verdict"] in UNDECIDED]
        if not broken and undecided:
            lines.append("no stage is known to have changed what the program computes; not decided: " + ", ".join(dict.fromkeys(undecided)))
        lines += [f"note: {note}" for note in self.notes]
        lines.append(f"verdict: {self.verdict}")
        if self.script:
            lines.append(f"\nA script that shows it:\n\n{self.script}")
        return "\n".join(lines)

    def _repr_html_(self):
        def row(stage):
            verdict = stage["verdict"]["verdict"]
            color = {"Equal": "#1a7f37", "Benign": "#1a7f37"}.get(verdict)
            color = color or ("#cf222e" if verdict in ("Miscompile", "HiddenMiscompile", "NumericsViolation") else "#9a6700")
            cells = [stage["stage"], stage["dump"], stage["pipeline"], stage["name"], verdict_of(stage)]
            cells = "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells)
            return f'<tr style="color: {color}">{cells}</tr>'

        head = "<tr><th>stage</th><th>dump</th><th>pipeline</th><th>name</th><th>verdict</th></tr>"
        script = f"<details><summary>a script that shows it</summary><pre>{html.escape(self.script)}</pre></details>" if self.script else ""
        return f"<table>{head}{''.join(map(row, self.stages))}</table><p>verdict: <b>{html.escape(self.verdict)}</b></p>{script}"
