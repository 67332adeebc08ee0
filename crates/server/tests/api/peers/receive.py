"""An endpoint that verifies what it gets with the library of Standard Webhooks, and says which event it was."""

import http.server
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

verifier = Webhook(open(sys.argv[1]).read().strip())


class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            event = verifier.verify(body, dict(self.headers))
            print("verified", self.headers["webhook-id"], event["type"], flush=True)
            self.send_response(204)
        except WebhookVerificationError as error:
            print("refused", error, flush=True)
            self.send_response(401)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Hook)
print(server.server_port, flush=True)
server.serve_forever()
