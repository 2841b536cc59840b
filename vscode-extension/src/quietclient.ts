// A language client without messages of its own, and the errors of a connection that has ended.
import type * as vscode from 'vscode';
import { LanguageClient, type MessageSignature } from 'vscode-languageclient/node';

// The codes of errors of the library and of Node.js: the connection closed before the answer came, or before or while the request was sent.
const lost: readonly unknown[] = [-32097, -32099, 'ERR_STREAM_DESTROYED', 'EPIPE'];

/** Whether a request failed because the server has ended. */
export const isLost = (error: unknown) => lost.includes((error as { code?: unknown }).code);

/** A client that logs its errors and shows none: the extension shows them, once and with a way out. */
export class QuietClient extends LanguageClient {
  /** Whether the window closes, and its log with it: the server may end after that. */
  closed = (): boolean => false;

  override error(message: string, data?: unknown): void {
    if (!this.closed()) super.error(message, data, false);
  }

  override info(message: string, data?: unknown): void {
    if (!this.closed()) super.info(message, data, false);
  }

  // What fails because the window closes or the server ends is no error of the request: nothing is left to show it in either.
  override handleFailedRequest<T>(
    type: MessageSignature,
    token: vscode.CancellationToken | undefined,
    error: unknown,
    otherwise: T,
    show?: boolean,
    throwOnCancel?: boolean,
  ): T {
    if (!this.isRunning() || isLost(error)) return otherwise;
    return super.handleFailedRequest(type, token, error, otherwise, show, throwOnCancel);
  }
}
