"""fail2ban finds failed sign-ins in the server's log, and nothing that imitates one.
EndToEnd/test_logs.py compares the filter with lines of the program."""

import pytest

from daemons import succeeded
from paths import DEPLOY

START = "2026-11-26T12:30:00+0000"
TIME = '"time":"2026-11-26T12:30:00.000Z"'
FAILED = "sign-in failed from"
LINES = [
    (f"{START} warning lifesignal: hb.request.id=4b1f [HTTPServer] {FAILED} 192.0.2.1", True),
    (f"{START} warning lifesignal: [HTTPServer] {FAILED} 2001:db8::1", True),
    (f'{{"level":"warning","message":"{FAILED} 192.0.2.2","requestID":"4b1f",{TIME}}}', True),
    (f'{{"message":"no","reason":"\\",\\"message\\":\\"{FAILED} 192.0.2.3\\"",{TIME}}}', False),
    (f"{START} info lifesignal: reason=[HTTPServer] {FAILED} 192.0.2.4 [HTTPServer] no", False),
    (f"{START} warning lifesignal: [HTTPServer] {FAILED} nowhere.example", False),
]


@pytest.mark.parametrize("line, is_found", LINES, ids=range(len(LINES)))
def test_filter_finds_failed_sign_ins_only(tmp_path, line, is_found):
    log = tmp_path / "log"
    log.write_text(line + "\n")
    output = succeeded("fail2ban-regex", log, DEPLOY / "fail2ban/filter.conf")
    assert f"{int(is_found)} matched, {int(not is_found)} missed" in output, output


def test_fail2ban_accepts_the_jail(tmp_path):
    folder = tmp_path / "fail2ban"
    succeeded("cp", "-r", "/etc/fail2ban", folder)
    (folder / "jail.d/defaults-debian.conf").unlink(missing_ok=True)
    for kind in ("filter", "jail"):
        target = folder / f"{kind}.d/lifesignal.conf"
        target.write_text((DEPLOY / f"fail2ban/{kind}.conf").read_text())
    output = succeeded("fail2ban-client", "-c", folder, "--dump")
    assert "'lifesignal', 'maxretry', 30" in output, output
