import email.utils
import re

import pytest
import requests
from support.api import new_id, sign_in, watch_over
from support.mail import MailServer, text
from support.program import phone_number, run
from support.waiting import wait_until

BEN = "ben@example.org"


@pytest.fixture
def mail(tmp_path):
    stand_in = MailServer(tmp_path)
    yield stand_in
    stand_in.close()


@pytest.fixture
def people(make_server, mail):
    """Ana, and Ben, who has a confirmed address."""
    server = make_server(env=mail.environment)
    server.start()
    ana, ben = (
        sign_in(server, phone_number(index), name) for index, name in ((1, "Ana"), (2, "Ben"))
    )
    watch_over(ben, ana)
    confirm(ben, BEN, mail)
    return ana, ben


def confirm(person, address, mail):
    person.put("/v1/me/email", {"address": address}, status=202)
    message = wait_until(lambda: mail.to(address), 30, "a code")[0]
    code = re.search(r"\d{6}", message["Subject"])[0]
    return person.post("/v1/me/email/confirmation", {"code": code})


def raise_alert(ana):
    alert = new_id()
    ana.put(f"/v1/alerts/{alert}")
    return alert


def line(ana, alert):
    ledger = ana.get(f"/v1/alerts/{alert}")["ledger"]
    return next(entry for entry in ledger if entry["channel"] == "email")


def alerts(mail):
    return [message for message in mail.to(BEN) if "needs help" in message["Subject"]]


def test_alert_is_sent_by_email(people, mail):
    ana, ben = people
    ana.call("PATCH", "/v1/me", {"name": "Änä <b>\N{PILE OF POO}", "emergencyNote": "secret"})
    alert = raise_alert(ana)
    message = wait_until(lambda: alerts(mail), 30, "an alert")[0]
    assert message["Subject"] == "LifeSignal: Änä <b>\N{PILE OF POO} needs help"
    assert message["From"] == "LifeSignal <alerts@example.org>"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Message-ID"].endswith("@example.org>")
    assert email.utils.parsedate_to_datetime(message["Date"]).tzinfo
    html = message.get_body(("html",)).get_content()
    assert "Änä &lt;b&gt;" in html and "<b>" not in html
    assert "secret" not in text(message) + html
    wait_until(lambda: line(ana, alert)["state"] == "accepted", 30, "the ledger")
    status = ben.get("/v1/me/email")
    assert status["address"] == BEN and "failingSince" not in status
    assert ben.get("/v1/me/export")["email"]["address"] == BEN
    ana.post(f"/v1/alerts/{alert}/end")
    wait_until(lambda: any("ended" in m["Subject"] for m in mail.to(BEN)), 30, "its end")
    log = ana.server.output()
    assert BEN not in log and "hush" not in log


def test_unsubscribe_link_needs_post(people, mail):
    ana, ben = people
    raise_alert(ana)
    message = wait_until(lambda: alerts(mail), 30, "an alert")[0]
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = re.search(r"<(\S+)>", message["List-Unsubscribe"])[1]
    assert link in text(message)
    address = re.sub(r"^http://[^/]+", ana.server.url, link)
    for method in (requests.get, requests.head):
        method(address, timeout=10)
    page = requests.get(address, timeout=10)
    assert '<form method="post">' in page.text and page.headers["cache-control"] == "no-store"
    assert ben.get("/v1/me/email")["address"] == BEN
    assert requests.post(address.replace("token=", "token=A"), timeout=10).status_code == 404
    one_click = {"List-Unsubscribe": "One-Click"}
    for _ in range(2):
        assert requests.post(address, data=one_click, timeout=10).status_code == 200
    assert ben.get("/v1/me/email") == {}
    titles = [item["title"] for item in ben.pages("/v1/notifications")]
    assert titles.count("You get no more e-mail") == 1


def test_unconfirmed_address_gets_one_message(people, mail):
    ana, ben = people
    stranger = "stranger@example.org"
    for person, address in ((ana, stranger), (ana, stranger), (ben, "stranger+2@example.org")):
        answer = person.put("/v1/me/email", {"address": address}, status=202)
        assert answer["unverifiedAddress"] == address
    confirm(ana, "ana@example.org", mail)
    assert len(mail.to(stranger)) == 1 and not mail.to("stranger+2@example.org")
    assert ana.call("PUT", "/v1/me/email", {"address": "x\r\nBcc: y@z.org"}, status=422)


def test_missing_mailbox_is_reported(people, mail):
    ana, ben = people
    mail.refusals[BEN] = "550 5.1.1 No such user"
    alert = raise_alert(ana)
    wait_until(lambda: "failingSince" in ben.get("/v1/me/email"), 30, "a failure")
    assert ben.get("/v1/me/email")["lastFailure"] == "smtp-550"
    assert line(ana, alert)["state"] in ("retrying", "sending")
    titles = [item["title"] for item in ben.pages("/v1/notifications")]
    assert titles.count("E-mail does not reach you") == 1
    del mail.refusals[BEN]
    wait_until(lambda: alerts(mail), 30, "the alert")
    wait_until(lambda: "failingSince" not in ben.get("/v1/me/email"), 30, "a success")


def test_denied_relay_says_nothing_about_the_mailbox(people, mail):
    ana, ben = people
    mail.refusals[BEN] = "550 5.7.1 Relaying denied"
    alert = raise_alert(ana)
    wait_until(lambda: line(ana, alert)["state"] == "retrying", 30, "a first try")
    assert "failingSince" not in ben.get("/v1/me/email")
    del mail.refusals[BEN]
    wait_until(lambda: line(ana, alert)["state"] == "accepted", 30, "another try")


@pytest.mark.parametrize(
    "reply", ["421 Too busy", "451 Later", "554 5.7.1 We don't like this", "drops"]
)
def test_failing_mail_server_is_retried(people, mail, reply):
    ana, _ = people
    mail.drops = reply == "drops"
    mail.reply = None if mail.drops else reply
    alert = raise_alert(ana)
    wait_until(lambda: line(ana, alert)["state"] == "retrying", 30, "a first try")
    mail.drops, mail.reply = False, None
    wait_until(lambda: line(ana, alert)["state"] == "accepted", 30, "another try")
    assert len({message["Message-ID"] for message in alerts(mail)}) == 1


def test_permanent_mail_refusal_is_not_retried(people, mail):
    ana, _ = people
    mail.refusals[BEN] = "553 5.1.3 No such form of address"
    alert = raise_alert(ana)
    wait_until(lambda: line(ana, alert)["state"] == "failed", 30, "the refusal")


def test_hanging_mail_server_delays_nothing_else(make_server, mail, webhooks):
    server = make_server("--allow-private-webhooks", env=mail.environment).start()
    ana, ben = (sign_in(server, phone_number(index)) for index in (1, 2))
    watch_over(ben, ana)
    confirm(ben, BEN, mail)
    ben.put(f"/v1/devices/{new_id()}", {"kind": "webhook", "url": f"{webhooks.url}/hook"})
    mail.hangs.set()
    first = raise_alert(ana)
    wait_until(lambda: webhooks.calls, 30, "the webhook")
    assert line(ana, first)["state"] in ("queued", "sending")
    ana.post(f"/v1/alerts/{first}/end")
    wait_until(lambda: len(webhooks.calls) >= 2, 30, "the end by webhook")
    mail.hangs.clear()
    wait_until(lambda: any("ended" in m["Subject"] for m in mail.to(BEN)), 60, "the end by e-mail")


@pytest.mark.parametrize("fault", ["password", "certificate"])
def test_mail_needs_right_password_and_certificate(make_server, mail, fault):
    env = dict(mail.environment)
    if fault == "password":
        env["LIFESIGNAL_MAIL_PASSWORD"] = "wrong"
    else:
        del env["LIFESIGNAL_MAIL_CA_FILE"]
    server = make_server(env=env).start()
    ana = sign_in(server, phone_number(1))
    ana.put("/v1/me/email", {"address": "ana@example.org"}, status=202)
    reason = {"password": "sign-in-refused", "certificate": "insecure"}[fault]
    wait_until(lambda: reason in server.output(), 30, "a line in the log")
    assert not mail.messages


@pytest.mark.parametrize(
    "fault, words",
    [
        (None, "lets the server sign in"),
        ("password", "can't be used: it refuses the user or the password"),
        ("certificate", "can't be used: TLS is missing, or its certificate is not trusted"),
        ("port", "can't be used: the connection was refused"),
    ],
    ids=str,
)
def test_doctor_signs_in_to_the_mail_server(mail, tmp_path, fault, words):
    env, port = dict(mail.environment), mail.port
    if fault == "password":
        env["LIFESIGNAL_MAIL_PASSWORD"] = "wrong"
    elif fault == "certificate":
        del env["LIFESIGNAL_MAIL_CA_FILE"]
    elif fault == "port":
        port = 1
        env["LIFESIGNAL_MAIL_SERVER"] = f"smtp://127.0.0.1:{port}"
    doctor = run("doctor", "--database", tmp_path / "d.sqlite", "--port", 0, env=env)
    grade = "BAD " if fault else "ok  "
    assert f"{grade}  e-mail: 127.0.0.1:{port} {words}\n" in doctor.stdout, doctor.stdout
    assert doctor.returncode == (1 if fault else 0)
    assert not mail.messages


def test_unencrypted_mail_needs_local_server(make_server, tmp_path):
    plain = MailServer(tmp_path, is_secure=False)
    try:
        url = f"smtp://127.0.0.1:{plain.port}"
        env = {"LIFESIGNAL_MAIL_SERVER": url, "LIFESIGNAL_MAIL_FROM": "alerts@example.org"}
        server = make_server(env=env).start()
        ana = sign_in(server, phone_number(1))
        assert confirm(ana, "ana@example.org", plain)["address"] == "ana@example.org"
        # The server sends no password to a mail server without TLS, so nothing is sent here.
        login = {"LIFESIGNAL_MAIL_USER": "ana", "LIFESIGNAL_MAIL_PASSWORD": "hush"}
        other = make_server(env={**env, **login}).start()
        ben = sign_in(other, phone_number(1))
        ben.put("/v1/me/email", {"address": "ben@example.org"}, status=202)
        wait_until(lambda: "insecure" in other.output(), 30, "a line in the log")
        assert not plain.to("ben@example.org")
    finally:
        plain.close()


def test_code_is_printed_without_mail_account(make_server):
    server = make_server().start()
    ana = sign_in(server, phone_number(1))
    ana.put("/v1/me/email", {"address": "ana@example.org"}, status=202)
    shown = wait_until(
        lambda: re.search(r"e-mail to ana@example.org: (\d{6})", server.output()), 30, "the code"
    )
    assert ana.post("/v1/me/email/confirmation", {"code": shown[1]})["address"]


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({"LIFESIGNAL_MAIL_SERVER": "mail.example.org"}, "--mail-from must be"),
        (
            {"LIFESIGNAL_MAIL_SERVER": "mail.example.org", "LIFESIGNAL_MAIL_FROM": "a@b.org"},
            "--mail-server must be",
        ),
        (
            {
                "LIFESIGNAL_MAIL_SERVER": "smtp://u:p@mail.example.org",
                "LIFESIGNAL_MAIL_FROM": "a@b.org",
            },
            "not contain a user name or password",
        ),
        (
            {
                "LIFESIGNAL_MAIL_SERVER": "smtp://mail.example.org",
                "LIFESIGNAL_MAIL_FROM": "a@b.org",
                "LIFESIGNAL_MAIL_USER": "ana",
            },
            "Give both",
        ),
        ({"LIFESIGNAL_SMS_BUDGET": "10", "LIFESIGNAL_SMS_BUDGET_PER_USER": "10"}, "less than"),
        ({"LIFESIGNAL_VOICE": "twilio"}, "--public-url"),
        ({"LIFESIGNAL_SMS": "gateway"}, "--sms-gateway-file"),
        (
            {
                "LIFESIGNAL_VOICE": "twilio",
                "LIFESIGNAL_PUBLIC_URL": "https://lifesignal.example",
                "LIFESIGNAL_TWILIO_ACCOUNT_SID": "AC1",
                "LIFESIGNAL_TWILIO_AUTH_TOKEN": "token",
                "LIFESIGNAL_TWILIO_CALL_FROM": "+15005550006",
                "LIFESIGNAL_TWILIO_BASE_URL": "http://8.8.8.8",
            },
            "must be https",
        ),
    ],
)
def test_wrong_mail_settings_are_explained(tmp_path, env, words):
    answer = run("serve", "--database", tmp_path / "x.sqlite", "--port", 0, env=env)
    assert answer.returncode != 0 and words in answer.stderr, answer.stderr
