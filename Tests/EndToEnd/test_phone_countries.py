import re
from pathlib import Path

import phonenumbers

SOURCE = Path(__file__).parents[2] / "Sources/Shared/Domain/Users/PhoneCountry.swift"


def test_table_has_every_region_with_its_code():
    text = SOURCE.read_text()
    entries = re.findall(r"\b([A-Z]{2})(\d{1,3})\b", text[text.index("let table") :])
    assert dict(entries) == {
        region: str(phonenumbers.country_code_for_region(region))
        for region in phonenumbers.SUPPORTED_REGIONS
    }
    assert len(entries) == len(phonenumbers.SUPPORTED_REGIONS)
