/** A pair's check of forwarding: which answers prove it. Real sockets on loopback addresses. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** Answers of `once` for targets by name; 127.0.0.3 listens with a full queue, so that it never answers. */
const check = `
import json, socket, sys, types
sys.path.insert(0, "components/nat-instance/pair")
import check
# The kernel here may track no connections.
check.os = types.SimpleNamespace(open=lambda *_: None, O_RDONLY=0)
listening, silent = socket.create_server(("127.0.0.2", 0)), socket.create_server(("127.0.0.3", 0), backlog=0)
filling = [socket.socket() for _ in range(3)]
for one in filling:
    one.setblocking(False)
    one.connect_ex(silent.getsockname())
with socket.create_server(("127.0.0.4", 0)) as closed:
    refusing = closed.getsockname()
targets = {"listening": listening.getsockname(), "silent": silent.getsockname(), "refusing": refusing, "endpoint": ("localhost", listening.getsockname()[1])}
answers = []
for names in json.load(sys.stdin):
    one = check.Check({"checks": [dict(zip(("address", "port"), targets[name])) for name in names]})
    one.look_up()
    answers.append(one.once())
print(json.dumps(answers))
`;
const proved = (...sets: string[][]): boolean[] =>
  JSON.parse(execFileSync("python3", ["-c", check], { input: JSON.stringify(sets), encoding: "utf8" }));

test("any answer of any target proves it, a refusal too; silence does not, nor does a name that leads inside", () => {
  expect(
    proved(
      ["listening"],
      ["refusing"],
      ["silent"],
      ["silent", "listening"],
      ["silent", "refusing"],
      ["endpoint"],
    ),
  ).toEqual([true, true, false, true, true, false]);
});
