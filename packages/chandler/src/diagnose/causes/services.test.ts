/** Lines about a Service that cannot be reached, in the log of a container that crashes, or runs and is not ready. */
import { describe, expect, test } from 'vitest';
import type { ContainerEnd, EvidenceOf } from '../../causes/index.ts';
import { aFailingPod, events, reading } from '../../causes/testing.ts';

import { isNoConnection } from '../connection-words.ts';
import { aLog as log } from './services.fixture.ts';
import { findings } from './verdict.fixture.ts';

const LINE = 'orders: dial tcp: orders-api.monitoring:5672: connection refused';
const WORK = Array.from({ length: 6 }, (_, index) => `handled request ${index}`);

const service: EvidenceOf<'service'> = {
  kind: 'service',
  reading: reading('Service monitoring/orders-api'),
  name: 'monitoring/orders-api',
  clusterIPs: [],
  ports: [5672],
  hasSelector: true,
  readyEndpoints: 1,
};

function found(
  lines: readonly string[],
  ended: Partial<ContainerEnd> = {},
  about: Partial<typeof service> = {},
) {
  const pod = aFailingPod({
    waiting: { reason: 'CrashLoopBackOff', message: '' },
    started: false,
    restarts: 4,
    lastTerminated: { reason: 'Error', exitCode: 2, signal: undefined, message: '', ...ended },
  });
  return findings(pod, log(lines), { ...service, ...about }).map(({ id, weight }) => [id, weight]);
}

const OLD = [
  ['L7.2', 'broken'],
  ['L7.5', 'suspicious'],
];

describe('a line about a Service that could not be reached', () => {
  test('does not hide why the container ended, if it was written long before the end', () => {
    expect(found([LINE, ...WORK, 'FATAL: config key PAYMENT_URL is empty'])).toEqual(OLD);
  });

  test('does not hide it either in a termination message that repeats the log', () => {
    const message = [LINE, ...WORK, 'FATAL: config key PAYMENT_URL is empty'].join('\n');
    expect(found(['FATAL: config key PAYMENT_URL is empty'], { message })).toEqual(OLD);
  });

  test.each([
    ['in the last line', [...WORK, LINE]],
    ['shortly before the end', [...WORK, LINE, '', 'closing the database', 'good bye']],
    [
      'with the stack of the error after it',
      [LINE, ...WORK.map((line) => `    at ${line}`), '}', '', 'Node.js v22'],
    ],
    [
      'with goroutines after it',
      [LINE, '', 'goroutine 1 [running]:', ...WORK.flatMap((line) => [`main.${line}()`, '\t/app/main.go:1'])],
    ],
  ])('is the cause %s', (_, lines) => {
    expect(found(lines)).toEqual([['L7.5', 'broken']]);
  });

  test.each([
    [
      'Node.js',
      [
        "      throw er; // Unhandled 'error' event",
        '      ^',
        '',
        'Error: connect ECONNREFUSED orders-api.monitoring:5672',
        '    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16)',
        "Emitted 'error' event on Socket instance at:",
        '    at emitErrorNT (node:internal/streams/destroy:170:8) {',
        '  errno: -111,',
        "  code: 'ECONNREFUSED',",
        "  syscall: 'connect',",
        '}',
        '',
        'Node.js v22.11.0',
      ],
    ],
    [
      'Java',
      [
        '12:30:45.123 ERROR o.s.boot.SpringApplication - Application run failed',
        'org.postgresql.util.PSQLException: Connection to orders-api.monitoring:5672 refused. Check that the hostname and port are correct.',
        '\tat org.postgresql.core.v3.ConnectionFactoryImpl.openConnectionImpl(ConnectionFactoryImpl.java:342)',
        'Caused by: java.net.ConnectException: Connection refused',
        '\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)',
        '\t... 12 more',
      ],
    ],
  ])('is the cause in an error of %s that repeats the code without the address', (_, lines) => {
    expect(found([...WORK, ...lines])).toEqual([['L7.5', 'broken']]);
  });

  test.each([
    'dial tcp 203.0.113.7:8443: connect: connection refused',
    'dial tcp: lookup api.example.com on 10.0.0.10:53: no such host',
    'Error: getaddrinfo ENOTFOUND api.example.com',
  ])('is not the cause if another address could not be reached after it: %s', (line) => {
    expect(found([...WORK, LINE, line])).toEqual([['L7.2', 'broken']]);
  });

  test.each([
    ['Python', 'socket.gaierror: [Errno -3] Temporary failure in name resolution: orders-api.monitoring'],
    ['Java', 'Caused by: java.net.UnknownHostException: orders-api.monitoring'],
    ['curl', 'curl: (6) Could not resolve host: orders-api.monitoring'],
    ['psql', 'psql: error: could not translate host name "orders-api.monitoring" to address: unknown'],
    ['MySQL', "ERROR 2005 (HY000): Unknown MySQL server host 'orders-api.monitoring' (-2)"],
    [
      'MySQL, of a connection',
      "ERROR 2003 (HY000): Can't connect to MySQL server on 'orders-api.monitoring' (110)",
    ],
    ['busybox', "wget: bad address 'orders-api.monitoring'"],
    ['nslookup', "** server can't find orders-api.monitoring: NXDOMAIN"],
    [
      'Rust on musl',
      'error: orders-api.monitoring: failed to lookup address information: Name does not resolve',
    ],
    ['nginx', 'nginx: [emerg] host not found in upstream "orders-api.monitoring" in /etc/nginx/nginx.conf:9'],
    ['.NET', 'Connection reset by peer (orders-api.monitoring:5672)'],
    ['Kafka', "Couldn't resolve server orders-api.monitoring:5672 from bootstrap.servers"],
  ])('is known in the words of %s', (_, line) => {
    expect(found([...WORK, line])).toEqual([['L7.5', 'broken']]);
    expect(isNoConnection(line)).toBe(true);
  });

  test.each([
    'Database: jdbc:postgresql://orders-api.monitoring:5432/app?connectTimeout=10 (PostgreSQL 15.4)',
    'redis=orders-api.monitoring:6379 dial-timeout=5s',
    'orders-api.monitoring:5672: connect timeout 5s',
    'connectTimeout: 5000, orders-api.monitoring:5672',
    'db connection established to orders-api.monitoring:5672, statement timeout 30s',
    'connection pool to orders-api.monitoring:5672 ready (idle timeout 60s)',
    'connection to orders-api.monitoring:5672 is ready, idle timeout.',
    'connection established to orders-api.monitoring:5672, statement timed out',
    'dial-timeout: 5s, orders-api.monitoring:5672',
    '{"addr":"orders-api.monitoring:5672","dial-timeout":"5s"}',
    String.raw`{\"addr\":\"orders-api.monitoring:5672\",\"dial-timeout\":\"5s\"}`,
    "{'addr': 'orders-api.monitoring:5672', 'connection timeout': 5}",
    '\u001b[36mdial-timeout\u001b[0m=5s orders-api.monitoring:5672',
    'orders-api.monitoring:5672: connection timeout (ms): 5000',
    'connection timeout from config, orders-api.monitoring:5672',
    'connection timeout for orders-api.monitoring:5672 is 5s',
    'connection timeout for orders-api.monitoring:5672 = 5s',
    'connection timeout was set to 5s for orders-api.monitoring:5672',
    'orders-api.monitoring:5672 connect timeout - 5s',
    'connect timeout 30s for orders-api.monitoring:5672',
    'orders-api.monitoring:5672 : ok=3 changed=0 unreachable=0 failed=0',
    'Closing idle connection due to timeout: orders-api.monitoring:5672',
    'Closing connection to orders-api.monitoring:5672 due to timeout',
    'idle connection to orders-api.monitoring:5672 timed out',
    'client connection orders-api.monitoring:5672 closed: keepalive timeout',
    'serverSelectionTimeoutMS=5000 mongodb://orders-api.monitoring:5672',
    'server selection timeout: 30s, orders-api.monitoring:5672',
    'Connection to node 1 (orders-api.monitoring/10.0.0.1:5672) established',
    'timeout connecting=5s orders-api.monitoring:5672',
  ])('is not one that only has a timeout in it: %s', (line) => {
    expect(isNoConnection(line)).toBe(false);
    expect(found([...WORK, line])).toEqual([['L7.2', 'broken']]);
  });

  test.each([
    'ConnectTimeoutError: connect timeout: orders-api.monitoring:5672',
    'java.net.http.HttpConnectTimeoutException: orders-api.monitoring:5672',
    'orders-api.monitoring:5672: Connection terminated due to connection timeout',
    'Connection timeout after 5000ms: orders-api.monitoring:5672',
    'Connection timeout expired, orders-api.monitoring:5672',
    'connect to orders-api.monitoring:5672: context deadline exceeded',
    'connection to orders-api.monitoring:5672 timed out',
    '{"msg":"connection timeout","host":"orders-api.monitoring:5672"}',
    String.raw`log={\"msg\":\"connection timeout\",\"host\":\"orders-api.monitoring:5672\"}`,
    '{"addr":"orders-api.monitoring:5672","error":"dial timeout"}',
    'msg="connection timeout" addr=orders-api.monitoring:5672',
    "Error('connection timeout') orders-api.monitoring:5672",
    'connection timeout: orders-api.monitoring:5672',
    'Connection timeout (30000ms) orders-api.monitoring:5672',
    'connect timeout - orders-api.monitoring:5672',
    'connection timeout for orders-api.monitoring:5672',
    'connection timeout from orders-api.monitoring:5672',
    'Connection timeout was reached: orders-api.monitoring:5672',
    'dial timeout 30s exceeded: orders-api.monitoring:5672',
    '\u001b[31mconnection timeout\u001b[0m orders-api.monitoring:5672',
    'httpx.ConnectTimeout: orders-api.monitoring:5672',
    'httpcore.ConnectTimeout: timed out (orders-api.monitoring:5672)',
    'ConnectTimeout: orders-api.monitoring:5672',
    'redis.exceptions.TimeoutError: Timeout connecting to server orders-api.monitoring:5672',
    'Timed out connecting to orders-api.monitoring:5672',
    'Connection to node -1 (orders-api.monitoring/10.0.0.1:5672) could not be established. Broker may not be available.',
    'Bootstrap broker orders-api.monitoring:5672 (id: -1 rack: null) disconnected',
    'pymongo.errors.ServerSelectionTimeoutError: orders-api.monitoring:5672: timed out, Timeout: 30s',
    'MongoServerSelectionError: Server selection timed out after 30000 ms: orders-api.monitoring:5672',
    'server selection error: server selection timeout, current topology: { Servers: [{ Addr: orders-api.monitoring:5672 }] }',
    'Timed out after 30000 ms while waiting for a server that matches WritableServerSelector: orders-api.monitoring:5672',
    'CommunicationsException: Communications link failure (orders-api.monitoring:5672)',
    'A connection attempt failed because the connected party did not properly respond after a period of time, or established connection failed because connected host has failed to respond. (orders-api.monitoring:5672)',
    'It was not possible to connect to the redis server(s). UnableToConnect on orders-api.monitoring:5672/Interactive',
    'failed to establish a connection: orders-api.monitoring:5672',
  ])('is one that says that a connection took too long: %s', (line) => {
    expect(found([...WORK, line])).toEqual([['L7.5', 'broken']]);
  });

  test.each([
    'It was not possible to connect to the redis server(s). There was an authentication failure; check that passwords are right. orders-api.monitoring:5672',
    'failed to open connection: pq: password authentication failed for user "app" (orders-api.monitoring:5672)',
    'cannot open connection to orders-api.monitoring:5672: FATAL: database "app" does not exist',
    'unable to establish connection: https://orders-api.monitoring:5672: x509: certificate signed by unknown authority',
    'The connection attempt failed: FATAL: password authentication failed (orders-api.monitoring:5672)',
    'failed to connect to `host=orders-api.monitoring user=app`: failed SASL auth (FATAL: password authentication failed)',
    'could not connect to orders-api.monitoring:5672: FATAL: sorry, too many clients already',
    'cannot connect to http://orders-api.monitoring:5672: HTTP 503',
    'failed to reach http://orders-api.monitoring:5672/health: 503 Service Unavailable',
    'failed to connect to orders-api.monitoring:5672: server error (FATAL: no pg_hba.conf entry for host "10.0.0.1")',
    'could not connect to orders-api.monitoring:5672: FATAL: the database system is starting up',
    'could not connect to orders-api.monitoring:5672: FATAL: remaining connection slots are reserved',
    'Unable to connect to orders-api.monitoring:5672: self-signed certificate in certificate chain',
    'failed to connect to orders-api.monitoring:5672: unable to verify the first certificate',
    'failed to connect to orders-api.monitoring:5672: unable to get local issuer certificate',
    'cannot connect to orders-api.monitoring:5672: certificate is valid for foo, not for this name',
    "cannot connect to orders-api.monitoring:5672: it does not match certificate's altnames",
    'failed to connect to orders-api.monitoring:5672: remote error: tls: handshake failure',
    'failed to connect to orders-api.monitoring:5672: Received fatal alert: handshake_failure',
    'unable to connect to orders-api.monitoring:5672: ssh: handshake failed: ssh: unable to authenticate',
    'cannot connect to orders-api.monitoring:5672: login was refused using authentication mechanism PLAIN',
    'failed to connect to http://orders-api.monitoring:5672: Forbidden',
    'error connecting to http://orders-api.monitoring:5672: HTTP 503',
    'Error connecting to orders-api.monitoring:5672: status code 503',
    'Error connecting to http://orders-api.monitoring:5672: 503 Service Unavailable',
    'failed to establish a connection to orders-api.monitoring:5672: HTTP 502',
    'connection failed: orders-api.monitoring:5672: Unexpected response code: 403',
  ])('is not one that a server that was reached has answered: %s', (line) => {
    expect(found([...WORK, line])).toEqual([['L7.2', 'broken']]);
  });

  test.each([
    'failed to connect to `host=orders-api.monitoring user=app password=*** database=x`: dial error: connection refused',
    'cannot connect to orders-api.monitoring:5672 with the password of app: i/o timeout',
    'unable to connect to orders-api.monitoring:5672 for authentication',
    'could not connect to host=orders-api.monitoring port=5432 user=app password=xxx dbname=app',
    'failed to connect to orders-api.monitoring:5672 to read credentials',
    'failed to connect to orders-api.monitoring:5672 using SASL/PLAIN',
    '"status":500,"error":"Unable to connect to orders-api.monitoring:5672"',
    'health check: status 503: unable to connect to orders-api.monitoring:5672',
    'cannot connect to orders-api.monitoring:5672: 500 ms are over',
    'cannot connect to orders-api.monitoring:5672: 500 milliseconds are over',
    '{"msg": "unable to connect to server", "host": "orders-api.monitoring", "port": 443}',
    'Failed to connect to host: orders-api.monitoring, port: 443',
    '{"message": "Failed to connect to orders-api.monitoring:5672", "lineno": 412}',
    'FATAL: could not connect to orders-api.monitoring:5672, retry in: 500 millis',
  ])('is one where no server answered, whatever it names: %s', (line) => {
    expect(found([...WORK, line])).toEqual([['L7.5', 'broken']]);
  });

  test.each([
    'redis.exceptions.TimeoutError: Timeout connecting to server',
    'Connection to node -1 (kafka/10.0.0.1:9092) could not be established. Broker may not be available.',
    'ServerSelectionTimeoutError: mongo:27017: timed out',
    'Server selection timed out',
    'Communications link failure',
    'A network-related or instance-specific error occurred while establishing a connection to SQL Server.',
    'ORA-12541: TNS:no listener',
    'kafka.errors.NoBrokersAvailable: NoBrokersAvailable',
    'Get "http://auth:8080/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    'upstream connect error or disconnect/reset before headers. reset reason: connection failure, transport failure reason: delayed connect error: 111',
    'network is unreachable',
    'Host unreachable',
    'wait: cannot connect to authentication-service:8080, retrying',
    'Could not connect to password-service:80',
    'failed to connect to certificate-manager:443',
    'A connection attempt failed because the connected party did not properly respond after a period of time',
  ])('is known without the name of a Service: %s', (line) => {
    expect(isNoConnection(line)).toBe(true);
  });

  test.each([
    'GET /unreachable 404',
    'taint node.kubernetes.io/unreachable',
    'internal error: entered unreachable code',
    'ORA-01017: invalid username/password; logon denied',
    'upstream connect error, transport failure reason: TLS error: CERTIFICATE_VERIFY_FAILED',
  ])('is no failed connection: %s', (line) => {
    expect(isNoConnection(line)).toBe(false);
  });

  test.each([
    'connection ',
    'connection to ',
    'connection x',
    'server selection timeout',
    'timeout connecting ',
    'bootstrap broker x',
    'broker ',
    'failed to establish a ',
    'timed out after ',
    'closing ',
    'a',
    'a.',
  ])('is looked for in a long line in a short time: %j', (part) => {
    const line = part.repeat(Math.ceil(65_536 / part.length));
    const beganMs = performance.now();
    isNoConnection(line);
    found([`${line} connection refused`]);
    expect(performance.now() - beganMs).toBeLessThan(1000);
  });

  describe('and whose answer only did not come in time', () => {
    const slow = `Get "http://orders-api.monitoring:5672/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`;

    const SUSPICIOUS = [
      ['L7.2', 'broken'],
      ['L7.5', 'suspicious'],
    ];

    test.each([1, undefined])('is only suspicious with %s ready endpoints: it may be slow', (count) => {
      expect(found([...WORK, slow], {}, { readyEndpoints: count })).toEqual(SUSPICIOUS);
      expect(found([...WORK, LINE, slow], {}, { readyEndpoints: count })).toEqual(SUSPICIOUS);
      const named = 'orders-api.monitoring: Client.Timeout exceeded while awaiting headers';
      expect(found([...WORK, named], {}, { readyEndpoints: count })).toEqual(SUSPICIOUS);
    });

    test('is the cause without ready endpoints, or if no connection was made', () => {
      expect(found([...WORK, slow], {}, { readyEndpoints: 0 })).toEqual([['L7.5', 'broken']]);
      const dialled = slow.replace('context deadline exceeded', 'dial tcp 10.0.0.9:5672: i/o timeout');
      expect(found([...WORK, dialled])).toEqual([['L7.5', 'broken']]);
    });
  });

  test('is the cause in the termination message, whatever the log says first', () => {
    expect(found([LINE, ...WORK, 'bye'], { message: LINE })).toEqual([['L7.5', 'broken']]);
  });

  describe('while the container runs and is not ready', () => {
    const failed = events({ reason: 'Unhealthy', message: 'Readiness probe failed: statuscode: 503' });
    const inRunning = (lines: readonly string[], readyEndpoints: number | undefined) =>
      findings(aFailingPod({ running: true }), failed, log(lines, false), { ...service, readyEndpoints }).map(
        ({ id, weight }) => [id, weight],
      );
    const requests = WORK.map(() => 'GET /ready 503');

    test('is the cause if the Service has no ready endpoints: requests of its probes follow it', () => {
      expect(inRunning([LINE, ...requests], 0)[0]).toEqual(['L7.5', 'broken']);
    });

    test.each([1, undefined])('is suspicious if the program went on, with %s ready endpoints', (count) => {
      expect(inRunning([LINE, 'connected', ...requests], count)).toEqual([
        ['L7.3', 'broken'],
        ['L7.5', 'suspicious'],
      ]);
    });

    test.each([0, 1, undefined])('is the cause at the end of its log, with %s ready endpoints', (count) => {
      expect(inRunning([...requests, LINE], count)[0]).toEqual(['L7.5', 'broken']);
    });
  });
});
