/**
 * AWS for shell scripts on a machine: instance metadata and a service's query API, on one port of a lab host. Requests
 * are appended to /tmp/requests, one per line; those named in /tmp/refused are refused. /tmp/metadata has further metadata, a path
 * and its value per line; /tmp/answers has texts of answers by action, as JSON.
 */
const standIns = `
import http.server, json, os, socketserver, urllib.parse
METADATA = {
    "meta-data/placement/region": "eu-north-1",
    "meta-data/services/domain": "amazonaws.com",
    "meta-data/mac": "0e:00:00:00:00:01",
    "meta-data/network/interfaces/macs/0e:00:00:00:00:01/interface-id": "eni-0a",
    "meta-data/iam/security-credentials/": "pair-role",
    "meta-data/iam/security-credentials/pair-role":
        '{\\n  "AccessKeyId" : "AKID",\\n  "SecretAccessKey" : "a/secret+key",\\n  "Token" : "session=="\\n}',
}
class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, text):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())
    def do_PUT(self):
        self.answer(200, "metadata-token")
    def do_GET(self):
        known = self.headers.get("X-aws-ec2-metadata-token") == "metadata-token"
        further = open("/tmp/metadata").read().splitlines() if os.path.exists("/tmp/metadata") else []
        value = {**METADATA, **dict(line.split(" ", 1) for line in further)}.get(self.path.removeprefix("/latest/"))
        self.answer(401 if not known else 404 if value is None else 200, value or "")
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        asked = dict(urllib.parse.parse_qsl(body))
        signature = self.headers.get("Authorization", "")
        scope = "Credential=AKID/" in signature and "/eu-north-1/" in signature
        token = self.headers.get("X-Amz-Security-Token")
        with open("/tmp/requests", "a") as log:
            print(" ".join(f"{k}={v}" for k, v in sorted(asked.items())), scope, token, signature.split("/eu-north-1/")[-1].split(",")[0], file=log)
        with open("/tmp/signatures", "a") as log:
            print(json.dumps({"authorization": signature, "date": self.headers["X-Amz-Date"], "body": body}), file=log)
        if os.path.exists("/tmp/refused") and open("/tmp/refused").read().strip() == asked["Action"]:
            self.answer(403, "<Code>UnauthorizedOperation</Code>")
        elif asked.get("DryRun") == "true":
            self.answer(412, "<Code>DryRunOperation</Code>")
        else:
            answers = json.load(open("/tmp/answers")) if os.path.exists("/tmp/answers") else {}
            self.answer(200, answers.get(asked["Action"], "<return>true</return>"))
    def log_message(self, *_):
        pass
class Server(http.server.ThreadingHTTPServer):
    # Python's own asks DNS for the address's name, which no lab answers.
    server_bind = socketserver.TCPServer.server_bind
server = Server(("169.254.169.254", 80), Handler)
print("listening", flush=True)
server.serve_forever()
`;

/** Shell that starts it and waits until it listens. */
export const standInOfAws = `ip address add 169.254.169.254/32 dev lo
cat > /tmp/server.py <<'END_OF_PROGRAM'
${standIns}END_OF_PROGRAM
mkfifo /tmp/ready
setsid python3 /tmp/server.py </dev/null >/tmp/ready 2>/tmp/server.log &
head -n 1 /tmp/ready`;
