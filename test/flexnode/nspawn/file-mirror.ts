/** A mirror over a folder, on loopback: whole files and ranges of them. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';

export interface FileMirror {
  readonly url: string;
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

export async function startFileMirror(folder: string): Promise<FileMirror> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    serve(folder, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

// ---------------------------------------------------------------------------------------------------

function serve(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const file = join(folder, normalize(new URL(request.url ?? '/', 'http://mirror').pathname));
  if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<html>not here</html>');
    return;
  }
  const { size } = statSync(file);
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const headers = { 'content-length': size - start, 'accept-ranges': 'bytes', etag: `"${size}"` };
  if (start > 0)
    response.writeHead(206, { ...headers, 'content-range': `bytes ${start}-${size - 1}/${size}` });
  else response.writeHead(200, headers);
  createReadStream(file, { start }).pipe(response);
}
