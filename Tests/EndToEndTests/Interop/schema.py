"""Says of YAML files whether a JSON Schema accepts them.

    schema.py SCHEMA < FILES

FILES is a JSON array of texts. Prints a JSON array with one member for each: null if it is accepted, else what is wrong. A text that is no
YAML is "no YAML".
"""

import json
import sys

import jsonschema
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError


def verdict(validator, text):
    try:
        # YAML 1.2, as editors read it.
        document = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError):
        return "no YAML"
    error = jsonschema.exceptions.best_match(validator.iter_errors(json.loads(json.dumps(document, default=str))))
    return error and f"{error.json_path}: {error.message}"


schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
json.dump([verdict(validator, text) for text in json.load(sys.stdin)], sys.stdout)
