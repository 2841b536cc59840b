"""Gives aider the true change of a commit, as replay.py gives it to Forge, and counts what its prompts cost."""
import http.server
import json
import subprocess
import threading
import time

BLOCK = '{path}\n```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n'
OPTIONS = ['--yes-always', '--no-auto-commits', '--no-gitignore', '--no-check-update', '--no-show-model-warnings', '--no-suggest-shell-commands',
           '--no-detect-urls', '--analytics-disable', '--edit-format', 'diff', '--model', 'openai/true', '--openai-api-key', 'none', '--auto-test']


def blocks(patch):
    """A unified diff as blocks of lines to search and to replace, which is what aider asks models for."""
    path, all = '', []
    for line in patch.splitlines():
        if line.startswith('+++ ') or line.startswith('--- '):
            path = line[6:] if line[4:6] in ('a/', 'b/') else path
        elif line.startswith('@@'):
            all.append({'path': path, 'old': '', 'new': ''})
        elif all and all[-1]['path'] == path and line[:1] in (' ', '-', '+'):
            for side in {' ': ('old', 'new'), '-': ('old',), '+': ('new',)}[line[0]]:
                all[-1][side] += line[1:] + '\n'
        elif line.startswith('diff --git'):
            path = ''
    return '\n'.join(BLOCK.format(**b) for b in all)


class Model(http.server.BaseHTTPRequestHandler):
    """Answers the first request with the names of the files, and each further one with the change."""

    def log_message(self, *_):
        pass

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        self.server.prompts.append(''.join(json.dumps(m['content']) if not isinstance(m['content'], str) else m['content'] for m in request['messages']))
        text = self.server.answers[min(len(self.server.prompts), len(self.server.answers)) - 1]
        whole = {'id': 'c', 'created': 1, 'model': 'true', 'object': 'chat.completion', 'usage': {'prompt_tokens': 1, 'completion_tokens': 1, 'total_tokens': 2},
                 'choices': [{'index': 0, 'finish_reason': 'stop', 'message': {'role': 'assistant', 'content': text}}]}
        piece = {**whole, 'object': 'chat.completion.chunk', 'choices': [{'index': 0, 'finish_reason': 'stop', 'delta': {'role': 'assistant', 'content': text}}]}
        streamed = request.get('stream')
        data = f'data: {json.dumps(piece)}\n\ndata: [DONE]\n\n' if streamed else json.dumps(whole)
        self.send_response(200)
        self.send_header('Content-Type', 'text/event-stream' if streamed else 'application/json')
        self.send_header('Content-Length', str(len(data.encode())))
        self.end_headers()
        self.wfile.write(data.encode())


def run(program, folder, message, patch, known, check):
    """Runs aider in a folder; gives the tokens of all its prompts, which are bytes divided by four, and its seconds."""
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Model)
    server.prompts, server.answers = [], ['I need to see ' + ', '.join(f'`{path}`' for path in known) + '. Please add them to the chat.', 'This is the change.\n\n' + blocks(patch)]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    began = time.monotonic()
    try:
        subprocess.run([program, *OPTIONS, '--openai-api-base', f'http://127.0.0.1:{server.server_port}/v1', '--test-cmd', check, '--message', message],
                       cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=900)
    finally:
        server.shutdown()
    return sum(len(p.encode()) for p in server.prompts) // 4, time.monotonic() - began
