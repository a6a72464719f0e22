#!/usr/bin/python3
"""Holds messages, or the contract itself, against config/asyncapi.yaml and config/schemas.

usage: hold-against-contract.py CONFIG document
       hold-against-contract.py CONFIG messages BASE PREFIX <LINES

document   checks the contract's own files, and prints each operation as one line of JSON.
messages   reads one message a line, {"topic", "qos", "retain", "contentType", "properties": [[name, value]...],
           "payload": base64}, and prints what is wrong with it. BASE and PREFIX stand for the topics' variables.

Exit status 1 if anything is wrong.
"""

import base64
import json
import pathlib
import re
import sys
import warnings

import yaml

warnings.filterwarnings("ignore", category=DeprecationWarning)
import jsonschema  # noqa: E402

Validator = jsonschema.Draft202012Validator

# The fields that AsyncAPI 3.0 and version 0.2.0 of its MQTT binding know, as far as the contract may use them.
FIELDS = {
    "document": "asyncapi id info defaultContentType servers channels operations components",
    "server": "host protocol protocolVersion description variables security bindings",
    "channel": "address description parameters messages",
    "operation": "action channel summary messages bindings",
    "parameter": "default description examples enum location",
    "message": "name title contentType headers payload examples",
    "serverBinding": "clientId cleanSession keepAlive sessionExpiryInterval lastWill bindingVersion",
    "operationBinding": "qos retain messageExpiryInterval bindingVersion",
    "lastWill": "topic qos retain message",
}


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON number")


def unique_fields(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"a field occurs twice among {names}")
    return dict(pairs)


def parse(text):
    return json.loads(text, parse_constant=refuse_constant, object_pairs_hook=unique_fields)


class Contract:
    def __init__(self, directory):
        self.path = pathlib.Path(directory).resolve() / "asyncapi.yaml"
        self.document = yaml.safe_load(self.path.read_text())
        self.messages = self.document["components"]["messages"]
        self.channels = self.document["channels"]
        self.operations = [(self.last(o["channel"]), name, o) for name, o in self.document["operations"].items()]

    @staticmethod
    def last(reference):
        return reference["$ref"].rsplit("/", 1)[-1]

    def lookup(self, pointer):
        value = self.document
        for part in pointer.removeprefix("#/").split("/"):
            value = value[part]
        return value

    def message(self, channel):
        (reference,) = self.channels[channel]["messages"].values()
        return self.messages[self.last(reference)]

    def errors(self, schema, value):
        """What is wrong with a value, each with the place where."""
        resolver = jsonschema.RefResolver(self.path.as_uri(), schema)
        for error in Validator(schema, resolver=resolver).iter_errors(value):
            place = "/".join(str(part) for part in error.absolute_path)
            yield f"{place or 'the value'}: {error.message}"

    def pattern(self, channel, values):
        address = self.channels[channel]["address"]
        parts = re.split(r"(\{\w+\})", address)
        return "".join(
            re.escape(values[part[1:-1]]) if part[1:-1] in values and part[0] == "{"
            else "[A-Za-z0-9_-]+" if part.startswith("{")
            else re.escape(part)
            for part in parts if part
        )


def value_of(content, payload):
    if content == "application/json":
        return parse(payload.decode("utf-8"))
    return payload.decode("utf-8") if content.startswith("text/") else "picture"


def check_message(contract, line, values):
    """What is wrong with one message."""
    message = json.loads(line)
    matching = [c for c in contract.channels if re.fullmatch(contract.pattern(c, values), message["topic"])]
    if len(matching) != 1:
        return [f"the topic belongs to the channels {matching}, not to one"]
    (channel,) = matching
    problems = []
    sending = [o for c, _, o in contract.operations if c == channel and o["action"] == "send"]
    if not sending:
        problems.append("nothing is sent on this channel")
    for operation in sending:
        binding = operation["bindings"]["mqtt"]
        for field in ("qos", "retain"):
            if message[field] != binding[field]:
                problems.append(f"{field} is {message[field]}, not {binding[field]}")
    definition = contract.message(channel)
    content = definition["contentType"]
    if message.get("contentType") != content:
        problems.append(f"the content type is {message.get('contentType')}, not {content}")
    names = [name for name, _ in message["properties"]]
    if len(set(names)) < len(names):
        problems.append(f"a user property occurs twice among {names}")
    properties = dict(message["properties"])
    if "headers" in definition:
        problems += [f"user property {e}" for e in contract.errors(definition["headers"], properties)]
    elif properties:
        problems.append(f"no user properties were promised, but these are there: {names}")
    payload = base64.b64decode(message["payload"], validate=True)
    if not payload and channel == "homeAssistantDevice":
        return problems
    try:
        value = value_of(content, payload)
    except ValueError as error:
        return problems + [f"the payload is not {content}: {error}"]
    problems += contract.errors(definition["payload"], value)
    if isinstance(value, dict) and "type" in properties:
        for field, other in (("id", value.get("id")), ("time", value.get("time"))):
            if properties.get(field) != other:
                problems.append(f"user property {field} is {properties.get(field)}, in the payload it is {other}")
        if properties["type"] != "facet.face." + str(value.get("event_type")):
            problems.append(f"the type {properties['type']} is not that of the event")
    return problems


def check_messages(contract, base, prefix):
    wrong = 0
    for number, line in enumerate(sys.stdin):
        for problem in check_message(contract, line, {"base": base, "prefix": prefix}):
            print(f"{number}: {json.loads(line)['topic']}: {problem}")
            wrong += 1
    return wrong


def references(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for part in value.values():
            yield from references(part)
    elif isinstance(value, list):
        for part in value:
            yield from references(part)


def document_problems(contract):
    document = contract.document

    def unknown(kind, value, place):
        for field in sorted(set(value) - set(FIELDS[kind].split())):
            yield f"{place}: AsyncAPI's {kind} has no field {field}"

    yield from unknown("document", document, "the document")
    if document["asyncapi"] != "3.1.0":
        yield f"the document follows AsyncAPI {document['asyncapi']}"
    for reference in set(references(document)):
        try:
            if reference.startswith("#"):
                contract.lookup(reference)
            elif not (contract.path.parent / reference.split("#")[0]).is_file():
                raise KeyError(reference)
        except KeyError:
            yield f"{reference} leads nowhere"
    for name, server in document["servers"].items():
        yield from unknown("server", server, name)
        binding = server["bindings"]["mqtt"]
        yield from unknown("serverBinding", binding, name)
        will = binding["lastWill"]
        yield from unknown("lastWill", will, name)
        for error in contract.errors(contract.messages["status"]["payload"], parse(will["message"])):
            yield f"{name}: the last will: {error}"
    for name, channel in contract.channels.items():
        yield from unknown("channel", channel, name)
        if set(re.findall(r"\{(\w+)\}", channel["address"])) != set(channel["parameters"]):
            yield f"{name}: the address and the parameters differ"
        if not any(c == name for c, _, _ in contract.operations):
            yield f"{name}: no operation uses this channel"
    for name, parameter in document["components"]["parameters"].items():
        yield from unknown("parameter", parameter, name)
    for channel, name, operation in contract.operations:
        yield from unknown("operation", operation, name)
        yield from unknown("operationBinding", operation.get("bindings", {}).get("mqtt", {}), name)
        for reference in operation["messages"]:
            if not reference["$ref"].startswith(f"#/channels/{channel}/messages/"):
                yield f"{name}: its message is not one of its channel"
    for name, message in contract.messages.items():
        yield from unknown("message", message, name)
        for example in message.get("examples", []):
            for error in contract.errors(message["payload"], example["payload"]):
                yield f"{name}: its example: {error}"
    for path in sorted((contract.path.parent / "schemas").glob("*.schema.json")):
        schema = parse(path.read_text())
        try:
            Validator.check_schema(schema)
        except jsonschema.SchemaError as error:
            yield f"{path.name}: {error.message}"
        if schema.get("$schema") != "https://json-schema.org/draft/2020-12/schema":
            yield f"{path.name}: does not say that it is JSON Schema 2020-12"
        # Reports are not sent; a test of the companion's holds one against its schema.
        is_sent = path.name not in ("common.schema.json", "report.schema.json")
        if is_sent and not any(path.name in reference for reference in references(document)):
            yield f"{path.name}: no message uses it"
        for reference in references(schema):
            file, _, pointer = reference.partition("#")
            target = parse((path.parent / file).read_text()) if file else schema
            for part in pointer.strip("/").split("/"):
                if part not in target:
                    yield f"{path.name}: {reference} leads nowhere"
                    break
                target = target[part]


def check_document(contract):
    problems = list(document_problems(contract))
    for problem in problems:
        print(problem)
    if not problems:
        for channel, _, operation in contract.operations:
            binding = operation.get("bindings", {}).get("mqtt", {})
            print(json.dumps({
                "address": contract.channels[channel]["address"],
                "action": operation["action"],
                "contentType": contract.message(channel)["contentType"],
                **{field: binding[field] for field in ("qos", "retain") if field in binding},
            }))
    return len(problems)


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 2 and arguments[1] == "document":
        return check_document(Contract(arguments[0])) > 0
    if len(arguments) == 4 and arguments[1] == "messages":
        return check_messages(Contract(arguments[0]), *arguments[2:]) > 0
    print(__doc__.strip(), file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
