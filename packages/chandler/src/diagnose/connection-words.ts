/** Words between a connection and what became of it. It may have been made, and the time be that of something else. */
const BETWEEN = '(?:(?!\\b(?:established|ready|idle|statement|closed|closing|keep-?alive)\\b)[^\\n]){0,80}';
/** One that was made, and that nobody uses any more, is closed after a time. */
const IN_USE = '(?<!\\b(?:idle|inactive|closing|closed) )';
const CANNOT = "(?:could not|couldn't|cannot|can't|failed to|unable to)";
/** After it comes how long something may take, or its name in JSON. */
const IS_SET = '\\s*[:=]';
/** That the time is over, and not how long it is: `connect timeout 5s`, `dial-timeout=5s`, `"dial-timeout":"5s"`. */
const IS_OVER = `(?=${[
  '\\s*$',
  '[.,;!)\\]]',
  `\\\\{0,3}["'](?!${IS_SET})`,
  `\\x1b\\[[\\d;]{0,16}m(?!${IS_SET}\\s*\\d)`,
  ':(?!\\s*\\d)',
  '\\s-\\s(?!\\d)',
  `\\s\\((?!\\w{1,16}\\)${IS_SET})`,
  '\\s(?:after|expired|exceeded|elapsed|occurred|reached|error|while|waiting|trying|connecting|(?:to|on)(?!\\s\\d))\\b',
  '\\s(?:was\\s|\\d{1,9}\\s?\\w{0,12}\\s)(?:reached|exceeded|expired|elapsed|hit)\\b',
  '\\s(?:for|from)\\b(?![^\\n]{0,80}(?:\\b(?:config\\w*|env\\w*|defaults?|settings?|flags?)\\b|(?:\\s(?:is|of|to)|[:=])\\s\\d))',
].join('|')})`;

/** How programs say that they reach no server. */
export function isNoConnection(line: string): boolean {
  return hasNoConnection(line) || NO_ANSWER.test(line);
}

/** Of such a line: a server that was reached, and takes too long to answer, has the same words. */
export function mayBeSlow(line: string): boolean {
  return NO_ANSWER.test(line) && !hasNoConnection(line);
}

// ---------------------------------------------------------------------------------------------------

function hasNoConnection(line: string): boolean {
  return NETWORK.test(line) || (NO_CONNECTION.test(line) && !ANSWERED.test(line));
}

/** Go: an HTTP client with a timeout of its own. */
const NO_ANSWER = /Client\.Timeout exceeded while awaiting headers/i;

/** The answer of the network, and that of the resolution of names. */
const NETWORK = new RegExp(
  [
    // Refused, or reset.
    'connection (?:to \\S+ )?(?:refused|reset)',
    'actively refused',
    'ECONNREFUSED|ECONNRESET',
    // No answer.
    'i/o timeout',
    `${IN_USE}(?:connection|connect|operation|dial|upstream)\\b${BETWEEN}\\btimed out`,
    `${IN_USE}(?:connection|connect|dial)\\b${BETWEEN}\\b(?:deadline exceeded|timeout${IS_OVER})`,
    '(?:timeout|timed out)(?: while)? (?:connecting|trying to connect) to',
    // MongoDB.
    `ServerSelection(?:Timeout)?(?:Error|Exception)|server selection (?:timed out|timeout${IS_OVER})`,
    'timed out after [^\\n]{1,40} while waiting (?:for a server|to connect)\\b',
    'ETIMEDOUT|ConnectTimeout(?:Error|Exception)',
    // The class of Python. A setting has the same name: `connectTimeout=10`.
    '(?:^|\\b(?:httpx|httpcore|exceptions)\\.)ConnectTimeout\\b(?!\\s*(?:=|:\\s*\\d))',
    // No way. A path, a taint, and code that is never run have the same word.
    'no route to host|(?<!/)unreachable(?!\\s*=| code)|host is down',
    'EHOSTUNREACH|ENETUNREACH|EHOSTDOWN',
    // No address: Go, Node.js, glibc, musl and busybox, Java, curl, psql, MySQL, nginx, nslookup, .NET.
    'no such host|server misbehaving',
    'ENOTFOUND|EAI_AGAIN|getaddrinfo|NXDOMAIN|SERVFAIL',
    'name or service not known|nodename nor servname|temporary failure in name resolution|name resolution fail',
    'name does not resolve|no address associated with|failed to lookup address',
    'bad address|unknown (?:\\w+ ){0,2}host|UnknownHostException|host not found',
    `${CANNOT} (?:resolve|translate host name|find host)`,
    // Kafka.
    'bootstrap broker [^\\n]{1,256} disconnected|NoBrokersAvailable',
    // Envoy, with the numbers of Linux; Oracle: no listener, no answer, no host, no way.
    'delayed connect error: (?:110|111|113)\\b|ORA-(?:12541|12170|12545|12543)\\b',
  ].join('|'),
  'i',
);

/** Words of programs for any end of an attempt to connect: also that the server refused who connects. */
const NO_CONNECTION = new RegExp(
  [
    // .NET on Windows.
    'connection attempt failed|connected (?:party did not properly|host has failed to) respond',
    `${CANNOT} (?:connect|reach|(?:establish|open) (?:a )?(?:new )?connection)`,
    'error (?:-?\\d+ )?connecting to|connection failed|failed: connect',
    // Kafka, MySQL of Java, Redis of .NET.
    `connection\\b${BETWEEN}\\b(?:could not|cannot|can't) be (?:established|opened|made)`,
    'communications link failure',
    'not possible to connect|UnableToConnect',
    // SQL Server.
    'network-related or instance-specific error',
  ].join('|'),
  'i',
);

const TRIES = '(?:connect(?:ing|ion)?|reach)\\b[^\\n]{1,256}';

/** What only a server that was reached says, or who does not trust it: not names such as `authentication-service:8080`. */
const ANSWERED = new RegExp(
  [
    'authentication (?:fail|error|required)|password authentication|failed (?:SASL )?auth\\b|\\bauth failed',
    'unable to authenticate|refused using authentication|without any password configured',
    '(?:wrong|invalid|incorrect|bad) (?:user ?name|password|credentials)|not permitted to log in|no pg_hba',
    'access denied|permission denied|not authorized|\\bunauthorized\\b|authorization violation|: forbidden\\b',
    '\\b(?:NOAUTH|WRONGPASS|ACCESS_REFUSED)\\b',
    "x509:|certificate(?:'s)? (?:signed|has expired|is|in|verif|unknown|required|chain|altnames)|refused TLS",
    '(?:bad|first|issuer|invalid|expired) certificate',
    '\\b(?:TLS|SSL|SASL|ssh):? ?handshake|handshake[ _]fail',
    '(?:database|role|user|schema) "[^"\\n]{1,64}" does not exist|unknown database|database system is',
    'too many (?:connections|clients)|max number of clients',
    `${TRIES}(?:\\bHTTP/?[\\d.]{0,3} |\\b(?:status|response|code)(?: code)?[ :=]{1,2}|\\breturned )[45]\\d\\d\\b`,
    `${TRIES}: [45]\\d\\d (?:bad|unauthorized|forbidden|not|method|conflict|gone|too|internal|service|gateway)\\b`,
    // The severity of PostgreSQL, and not that of the log before it.
    `${TRIES}: FATAL: `,
  ].join('|'),
  'i',
);
