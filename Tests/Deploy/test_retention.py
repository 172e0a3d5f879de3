"""The script of the backup unit: which backups it keeps, and when it deletes none."""

import subprocess
from datetime import UTC, date, datetime, timedelta

import pytest

from paths import DEPLOY

TODAY = datetime.now(UTC).date()

BACKUP = """#!/bin/sh
[ "$1" = backup ] && [ "$3" = --verify ] || exit 64
echo database > "$2"
echo key > "$2.key"
echo "${KEY_NEWS:-The key is beside it: $2.key}"
echo "Verified: ${PEOPLE:-500} people, 3 contacts, 9 check-ins, 1 alerts."
exit ${FAIL:-0}
"""

# The script's clock is fixed, so that midnight can't pass between the script and the test's check.
CLOCK = f"""#!/bin/sh
case "$*" in
*-d*) exec /bin/date "$@" ;;
*) exec /bin/date -d "{TODAY} 12:00 UTC" "$@" ;;
esac
"""


@pytest.fixture
def back_up(tmp_path):
    """Runs the script with a fake program that only writes two files."""
    program, clock = tmp_path / "program", tmp_path / "bin/date"
    clock.parent.mkdir()
    for path, text in ((program, BACKUP), (clock, CLOCK)):
        path.write_text(text)
        path.chmod(0o755)

    def back_up(folder, **environment):
        return subprocess.run(
            [DEPLOY / "systemd/backup", folder],
            env={"PATH": f"{clock.parent}:/usr/bin:/bin", "PROGRAM": str(program), **environment},
            capture_output=True,
            text=True,
        )

    return back_up


def name(day, time="030000"):
    return f"lifesignal-{day:%Y%m%d}T{time}Z.sqlite"


def add(folder, *names):
    for one in names:
        (folder / one).write_text("old")
        (folder / f"{one}.key").write_text("key")


def noted(folder, name, people):
    (folder / f"{name}.people").write_text(f"{people}\n")


def backups(folder):
    return sorted(path.name for path in folder.glob("*.sqlite"))


def test_a_year_of_nights_leaves_seven_days_and_four_weeks(back_up, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    nights = [TODAY - timedelta(days=days) for days in range(1, 366)]
    add(folder, *map(name, nights))
    result = back_up(folder)
    assert result.returncode == 0, result.stderr
    kept = backups(folder)
    days = sorted({one[11:19] for one in kept}, reverse=True)
    assert len(kept) == len(days), "one a day"
    week = {(TODAY - timedelta(days=back)).strftime("%Y%m%d") for back in range(7)}
    assert week <= set(days)
    weeks = {date.fromisoformat(f"{d[:4]}-{d[4:6]}-{d[6:]}").isocalendar()[:2] for d in days}
    assert len(weeks) == 4
    assert len(kept) in (9, 10), "seven days, and the weeks that none of them is the last of"
    assert {path.name.removesuffix(".key") for path in folder.glob("*.key")} == set(kept)


def test_the_last_backup_of_a_day_stays(back_up, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    day = TODAY - timedelta(days=1)
    add(folder, name(day, "030000"), name(day, "120000"))
    back_up(folder)
    assert name(day, "120000") in backups(folder)
    assert name(day, "030000") not in backups(folder)


@pytest.mark.parametrize("ahead", [timedelta(days=1), timedelta(days=400)])
def test_a_backup_of_the_future_removes_nothing(back_up, tmp_path, ahead):
    folder = tmp_path / "backups"
    folder.mkdir()
    nights = [name(TODAY - timedelta(days=days)) for days in range(1, 60)]
    future = [name(TODAY + ahead + timedelta(days=days)) for days in range(9)]
    add(folder, *nights, *future)
    result = back_up(folder)
    assert result.returncode == 1 and f"{future[-1]} lies in the future" in result.stderr
    assert {*nights, *future} < set(backups(folder)), "the new one is kept, too"
    for one in future:
        (folder / one).unlink()
    assert back_up(folder).returncode == 0
    assert not set(nights) < set(backups(folder))


def test_no_setting_removes_the_new_backup(back_up, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    add(folder, name(TODAY - timedelta(days=1)))
    assert back_up(folder, KEEP_DAYS="0", KEEP_WEEKS="0").returncode == 0
    assert backups(folder) == [name(TODAY, "120000")]


def test_old_backups_stay_until_newer_ones_replace_them(back_up, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    old = [name(date(2020, 1, day)) for day in (6, 7)]
    add(folder, *old)
    back_up(folder)
    assert set(old) < set(backups(folder)), "a pause of years removes nothing"


def test_a_failed_backup_removes_nothing_and_leaves_nothing(back_up, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    nights = [name(TODAY - timedelta(days=days)) for days in range(1, 60)]
    add(folder, *nights)
    assert back_up(folder, FAIL="1").returncode == 1
    assert backups(folder) == sorted(nights)


def test_a_backup_whose_time_cannot_be_noted_is_kept(back_up, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    nights = [name(TODAY - timedelta(days=days)) for days in range(1, 60)]
    add(folder, *nights)
    result = back_up(folder, FAIL="3")
    assert result.returncode == 1, result.stderr
    newest = max(backups(folder))
    assert newest not in nights and (folder / f"{newest}.key").exists()
    assert not set(nights) < set(backups(folder)), "a whole backup removes old ones"


def test_a_folder_is_made_for_its_owner_only(back_up, tmp_path):
    folder = tmp_path / "new folder" / "backups"
    assert back_up(folder).returncode == 0
    assert folder.stat().st_mode & 0o077 == 0
    (backup,) = folder.glob("*.sqlite")
    assert backup.stat().st_mode & 0o077 == 0
    assert backup.with_name(backup.name + ".key").read_text() == "key\n"


@pytest.mark.parametrize("people, is_kept", [(249, True), (250, False), (0, True)])
def test_far_fewer_people_remove_nothing(back_up, tmp_path, people, is_kept):
    folder = tmp_path / "backups"
    folder.mkdir()
    nights = [name(TODAY - timedelta(days=days)) for days in range(1, 60)]
    add(folder, *nights)
    noted(folder, nights[3], 500)
    result = back_up(folder, PEOPLE=str(people))
    assert (result.returncode == 1) == is_kept, result.stderr
    assert (set(nights) < set(backups(folder))) == is_kept
    if is_kept:
        assert len(backups(folder)) == len(nights) + 1, "the new one is kept, too"
        assert f"has {people} people" in result.stderr and "500" in result.stderr


def test_the_number_of_people_goes_with_its_backup(back_up, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    nights = [name(TODAY - timedelta(days=days)) for days in range(1, 60)]
    add(folder, *nights)
    for night in nights:
        noted(folder, night, 400)
    assert back_up(folder).returncode == 0
    counts = {path.name.removesuffix(".people"): path for path in folder.glob("*.people")}
    assert set(counts) == set(backups(folder))
    assert counts[max(counts)].read_text() == "500\n"


def test_an_empty_database_removes_no_backup_that_was_never_counted(back_up, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    nights = [name(TODAY - timedelta(days=days)) for days in range(1, 60)]
    add(folder, *nights)
    assert back_up(folder, PEOPLE="0").returncode == 1
    assert set(nights) < set(backups(folder))


@pytest.mark.parametrize("news", ["WITH ANOTHER KEY: x", "WITHOUT A KEY: x", "WITHOUT ITS KEY: x"])
def test_a_backup_without_the_right_key_removes_nothing(back_up, tmp_path, news):
    folder = tmp_path / "backups"
    folder.mkdir()
    nights = [name(TODAY - timedelta(days=days)) for days in range(1, 60)]
    add(folder, *nights)
    result = back_up(folder, KEY_NEWS=news)
    assert result.returncode == 1 and "the database's key" in result.stderr
    assert set(nights) < set(backups(folder)), "older ones may have the only copy of the key"
    assert back_up(folder).returncode == 0
    assert not set(nights) < set(backups(folder))
