class Table:
    def __init__(self):
        self.rows = ["| what | measured | to reach | |", "|---|---|---|---|"]
        self.has_missed = False

    def add(self, what, measured, goal, is_reached):
        self.has_missed = self.has_missed or not is_reached
        self.rows.append(
            f"| {what} | {measured} | {goal} | {'reached' if is_reached else 'MISSED'} |"
        )

    def __str__(self):
        return "\n".join(self.rows)
