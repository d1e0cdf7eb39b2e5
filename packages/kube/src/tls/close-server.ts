/** Ends a server over TLS with all its connections. */
import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/**
 * To be called before the server listens. `closeAllConnections` does not know connections whose handshake has not ended:
 * the server would wait for them, without end if their clients only read.
 * @returns ends the server.
 */
export function serverCloser(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
    });
}
