class Table:
    def __init__(self):
        self.rows = ["| what | measured | to reach | |", "|---|---|---|---|"]
        self.has_missed = False

    def add(self, what, measured, goal="", is_reached=True):
        """Adds a row. A row without a goal is only a figure."""
        self.has_missed = self.has_missed or not is_reached
        mark = ("reached" if is_reached else "MISSED") if goal else ""
        self.rows.append(f"| {what} | {measured} | {goal} | {mark} |")

    def __str__(self):
        return "\n".join(self.rows)
