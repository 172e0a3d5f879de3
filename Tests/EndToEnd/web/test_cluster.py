"""`make run-cluster`: the README's tour on three servers, and a killed server under an open page.
At the end, nothing is left behind."""

import socket

import pytest
import test_readme
import test_readme_tour

from support.api import new_id, sign_in, watch_over
from support.cluster import RunningCluster
from support.people import enter, make_member
from support.program import CODE, phone_number
from support.readme import flags
from support.waiting import wait_until

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

PHONES = [part for i in range(3) for part in ("--test-phone", f"{phone_number(i)}={CODE}")]


@pytest.fixture
def make_cluster():
    clusters = []

    def make(*arguments):
        clusters.append(RunningCluster(*arguments))
        return clusters[-1]

    yield make
    for cluster in clusters:
        print(cluster.output())
        cluster.remove()


def is_listened_on(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def test_tour_works_on_cluster(make_cluster, make_browser, tmp_path):
    cluster = make_cluster(*flags()).start()
    test_readme.follow(cluster, tmp_path)
    # The browser's tour needs a new cluster, because the two users must not exist yet.
    tour_in_browser = make_cluster(*flags()).start()
    test_readme_tour.follow(test_readme_tour.Tour(), tour_in_browser, make_browser)


def test_page_survives_killed_server(make_cluster, make_browser):
    cluster = make_cluster(*PHONES).start()
    ana = make_member(cluster, phone_number(0), "Ana")
    ben = make_member(cluster, phone_number(1), "Ben")
    watch_over(ben, ana)
    browser = enter(make_browser(cluster), phone_number(1))
    browser.press("Profile")
    browser.press("Edit name and note")
    browser.field("Emergency note").send_keys("Diabetic.")
    browser.driver.execute_script("window.isStill = true")

    for _ in range(2):
        server = browser.driver.get_cookie("lifesignal-server")["value"]
        alert = new_id()
        process = cluster.process_of(server)
        cluster.kill(server)
        # After the kill another server sends events to the same page.
        ana.put(f"/v1/alerts/{alert}")
        browser.see("Ana has raised an alert", 30)
        browser.miss("You are offline", 30)
        assert browser.driver.execute_script("return window.isStill"), "not loaded again"
        ana.post(f"/v1/alerts/{alert}/end")
        browser.wait(
            lambda old=server: browser.driver.get_cookie("lifesignal-server")["value"] != old,
            "another server",
        )
        wait_until(
            lambda name=server, old=process: cluster.process_of(name) != old, 30, "a new process"
        )
    assert ben.get("/v1/me")["name"] == "Ben"


def test_second_cluster_run_keeps_data(make_cluster):
    cluster = make_cluster(*PHONES).start()
    ana = sign_in(cluster, phone_number(0), "Ana")
    answered = ana.check_in()
    ports = cluster.ports()
    assert len(ports) == 5 and all(map(is_listened_on, ports))
    second = RunningCluster(*PHONES)
    second.folder.rmdir()
    second.folder = cluster.folder
    assert second.launch().process.wait(60) == 1
    wait_until(lambda: "stop it first" in second.output(), 5, second.output())

    assert cluster.stop() == 0
    assert not any(map(is_listened_on, ports)), "Ctrl-C stops all"
    cluster.start()
    assert answered["id"] in [item["id"] for item in ana.pages("/v1/check-ins")]

    ports = cluster.ports()
    cluster.process.kill()
    cluster.process.wait()
    wait_until(
        lambda: not any(map(is_listened_on, ports)), 30, "the end of what a killed run has started"
    )


def test_one_server_grows_to_three(make_server, make_cluster):
    server = make_server().start()
    ana = sign_in(server, phone_number(0), "Ana")
    answered = ana.check_in()
    server.stop()
    ana.server = make_cluster(*PHONES).start("--from", server.database)
    assert ana.get("/v1/me")["name"] == "Ana", "the session is still good"
    assert [item["id"] for item in ana.pages("/v1/check-ins")] == [answered["id"]]
