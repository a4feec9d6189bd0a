"""What `tileproof xla --json` says, as an object."""

import html
from dataclasses import dataclass, field


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

    def __str__(self):
        lines = [f"{s['stage']:7}  {s['dump']:4}  {s['name']:40}  {s['verdict']['verdict']}" for s in self.stages]
        broken = self.first_broken
        if broken:
            place = f" (dump {broken['dump']} of pipeline {broken['pipeline']})" if broken["dump"] else ""
            lines.append(f"first broken: {broken['stage']} {broken['name']}{place}")
        lines.append(f"verdict: {self.verdict}")
        if self.script:
            lines.append(f"\nA script that shows it:\n\n{self.script}")
        return "\n".join(lines)

    def _repr_html_(self):
        def row(stage):
            verdict = stage["verdict"]["verdict"]
            color = {"Equal": "#1a7f37", "Benign": "#1a7f37"}.get(verdict)
            color = color or ("#cf222e" if verdict in ("Miscompile", "HiddenMiscompile", "NumericsViolation") else "#9a6700")
            cells = [stage["stage"], stage["dump"], stage["name"], verdict]
            cells = "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells)
            return f'<tr style="color: {color}">{cells}</tr>'

        head = "<tr><th>stage</th><th>dump</th><th>name</th><th>verdict</th></tr>"
        script = f"<details><summary>a script that shows it</summary><pre>{html.escape(self.script)}</pre></details>" if self.script else ""
        return f"<table>{head}{''.join(map(row, self.stages))}</table><p>verdict: <b>{html.escape(self.verdict)}</b></p>{script}"
