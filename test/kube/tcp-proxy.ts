/** A TCP proxy that can break, hold and slow the connections through it, TLS or not. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Where new connections go. */
  retarget(port: number): void;
  /** Breaks every connection, in the middle of whatever it carries. */
  reset(): void;
  /** Half-open: no data arrives from the server any more, without a reset. */
  stall(): void;
  resume(): void;
  readonly connections: number;
  close(): Promise<void>;
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  let target = targetPort;
  let stalled = false;
  const pairs = new Set<{ client: Socket; upstream: Socket }>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    const pair = { client, upstream };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.on('data', (data) => upstream.write(data));
    upstream.on('data', (data) => {
      if (!client.write(data)) {
        upstream.pause();
        client.once('drain', () => void (stalled || upstream.resume()));
      }
    });
    if (stalled) upstream.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const each = (act: (pair: { client: Socket; upstream: Socket }) => void) => {
    for (const pair of [...pairs]) act(pair);
  };
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return pairs.size;
    },
    retarget: (port) => {
      target = port;
    },
    reset: () => each(({ client }) => client.resetAndDestroy()),
    stall() {
      stalled = true;
      each(({ upstream }) => upstream.pause());
    },
    resume() {
      stalled = false;
      each(({ upstream }) => upstream.resume());
    },
    close() {
      each(({ client, upstream }) => {
        client.destroy();
        upstream.destroy();
      });
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
