"""Runs a Pulumi program with mocks, and prints as JSON each resource's type with the names of its inputs."""

import json
import runpy
import sys

import pulumi

made = {}


class Mocks(pulumi.runtime.Mocks):
    """A deployment in which every component returns its inputs, and hosts."""

    def new_resource(self, args):
        made[args.typ] = sorted(args.inputs)
        hosts = {name: {"address": "192.0.2.1"} for name in ("client", "server", "natInstance")}
        return args.name, {**args.inputs, **hosts, "publicIps": ["192.0.2.2"]}

    def call(self, args):
        return {}


pulumi.runtime.set_mocks(Mocks())
pulumi.runtime.test(lambda: runpy.run_path(sys.argv[1]) and None)()
print(json.dumps(made))
