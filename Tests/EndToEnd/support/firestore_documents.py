"""Compares Firestore's documents, read by Google's client, with the API's answers."""

from support.api import seconds

ALERT_FIELDS = {"id", "startTime", "endTime", "userId", "isActive"}
USER_FIELDS = {
    *("isAlertActive", "alertStartTime", "alertEndTime"),
    *("name", "phoneNumber", "emergencyNote", "profilePictureURL"),
    # The server's own: a number that grows with each write.
    "version",
}


def documents(service):
    """Returns each user's fields and alerts by id. The fields are None for a user without a
    document, but with alerts."""
    found = {}
    for reference in service.client().collection("users").list_documents(page_size=100):
        alerts = {item.id: item.to_dict() for item in reference.collection("alerts").stream()}
        found[reference.id] = (reference.get().to_dict(), alerts)
    return found


def differences(service, people):
    """Returns how the documents differ from the API's answers to these people, who must be all of
    the server's users. Nothing differs if the list is empty."""
    found = documents(service)
    problems = [
        f"{person.name}: {problem}"
        for person in people
        for problem in _of_person(person, *found.pop(person.id, (None, {})))
    ]
    return problems + [f"nobody has the id {id}" for id in found]


def _of_person(person, user, alerts):
    if user is None:
        return ["no document"]
    profile = person.get("/v1/me")
    # The list also has the alerts of those who rely on this person.
    records = [alert for alert in person.pages("/v1/alerts") if alert["userId"] == person.id]
    wanted = {
        "name": profile["name"],
        "phoneNumber": profile["phoneNumber"],
        "emergencyNote": None if profile.get("leavesNoteOutOfCopy") else profile["emergencyNote"],
        "profilePictureURL": profile.get("profilePictureURL"),
    }
    # An empty text and a missing field say the same.
    problems = [
        f"{name} is {user.get(name)!r}, not {value!r}"
        for name, value in wanted.items()
        if (user.get(name) or None) != (value or None)
    ]
    problems += [f"has the field {name}" for name in user.keys() - USER_FIELDS]
    return problems + _of_call(user, records) + _of_alerts(person, alerts, records)


def _of_call(user, records):
    """Compares the three fields about an open alert. Without one, the times may be empty, as in the
    seed's description, or the last alert's, as in the seed's code."""
    told = (user.get("isAlertActive"), _time(user, "alertStartTime"), _time(user, "alertEndTime"))
    allowed = [(True, _time(alert, "startTime"), None) for alert in records if alert["isActive"]]
    if not allowed:
        allowed = [(False, None, None)]
        allowed += [(False, _time(it, "startTime"), _time(it, "endTime")) for it in records[:1]]
    return [] if told in allowed else [f"the open alert is {told}, not {allowed}"]


def _of_alerts(person, alerts, records):
    wanted = {record["id"]: _alert(record) for record in records}
    told = {id: _alert(fields) for id, fields in alerts.items()}
    problems = [
        f"alert {id} is {told.get(id)}, not {wanted.get(id)}"
        for id in wanted.keys() | told.keys()
        if wanted.get(id) != told.get(id)
    ]
    for id, fields in alerts.items():
        problems += [f"alert {id} has the field {name}" for name in fields.keys() - ALERT_FIELDS]
        if fields.get("userId") != person.id:
            problems.append(f"alert {id} is of {fields.get('userId')}")
    return problems


def _alert(record):
    return {
        "id": record.get("id"),
        "isActive": record.get("isActive"),
        "startTime": _time(record, "startTime"),
        "endTime": _time(record, "endTime"),
    }


def _time(record, name):
    """Returns a time of the API or of Firestore in whole milliseconds, or None."""
    value = record.get(name)
    if value is None:
        return None
    return round((seconds(value) if isinstance(value, str) else value.timestamp()) * 1000)
