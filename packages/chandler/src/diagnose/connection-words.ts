/**
 * How programs say that they reach no server: the answer of the network, and that of the resolution of names. One list for
 * what is read of a cluster (which Services a log names) and for the cause that is made of it.
 */
export const NO_CONNECTION: RegExp = new RegExp(
  [
    // Refused, or reset.
    'connection (?:to \\S+ )?(?:refused|reset)',
    'actively refused',
    'ECONNREFUSED|ECONNRESET',
    // No answer.
    'i/o timeout',
    '(?:connection|connect|operation|dial|upstream)\\b[^\\n]{0,40}\\btimed out',
    '(?:connection|connect|dial)\\b[^\\n]{0,40}\\b(?:timeout|deadline exceeded)',
    'ETIMEDOUT|ConnectTimeout',
    // No way.
    'no route to host|unreachable|host is down',
    'EHOSTUNREACH|ENETUNREACH|EHOSTDOWN',
    // No address: Go, Node.js, glibc, musl and busybox, Java, curl, psql, MySQL, nginx, nslookup, .NET.
    'no such host|server misbehaving',
    'ENOTFOUND|EAI_AGAIN|getaddrinfo|NXDOMAIN|SERVFAIL',
    'name or service not known|nodename nor servname|temporary failure in name resolution|name resolution fail',
    'name does not resolve|no address associated with|failed to lookup address',
    'bad address|unknown (?:\\w+ ){0,2}host|UnknownHostException|host not found',
    "(?:could not|couldn't|cannot|can't|failed to|unable to) (?:resolve|translate host name|find host)",
    "(?:could not|couldn't|cannot|can't|failed to|unable to) (?:connect|reach)",
    'error (?:-?\\d+ )?connecting to|connection failed|failed: connect',
  ].join('|'),
  'i',
);
