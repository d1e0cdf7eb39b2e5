/**
 * Which line of its log shows why a provisioning script failed, by exit code or by the group of the code. Rows are tried
 * in order; of a row the last line that matches is taken, because a script tries again before it gives up. What tools
 * print goes before the trace of the script. Collected up to 2026-11 from what curl, nc, apt, systemd, oras and the
 * steps of AgentBaker print.
 */
import type { CseGroup } from './codes.table.ts';
import type { CseOs } from './name-code.ts';

export interface DecisiveRow {
  /** Only for these codes; all when absent. */
  readonly codes?: readonly number[];
  /** Only for codes of these groups; all when absent. */
  readonly groups?: readonly CseGroup[];
  readonly os?: CseOs;
  readonly line: RegExp;
}

const CONNECTION =
  /(?:connect|curl|wget|\bnc\b|dial tcp|getaddrinfo).{0,200}(?:timed? ?out|refused|unreachable|No route|reset by peer|Could not resolve|Name or service not known|forward host lookup failed)|^curl: \(\d+\)/i;
const LOOKUP =
  /can't find|NXDOMAIN|SERVFAIL|REFUSED|no servers could be reached|Could not resolve|Temporary failure|Name or service not known|no such host/;
const UNIT =
  /Job for \S+ failed|status=\d+\/[A-Z-]+|could not be started|Main process exited|is in a failed state/;

export const DECISIVE_LINES: readonly DecisiveRow[] = [
  { os: 'linux', codes: [51], line: CONNECTION },
  { os: 'linux', codes: [51], line: /\bnc -v?z|--connect-timeout/ },
  {
    os: 'linux',
    codes: [34],
    line: /unknown flag|invalid argument|failed to (?:parse|load|run)|unbound variable/i,
  },
  { os: 'linux', codes: [34], line: /kubelet.{0,200}(?:fail|error|invalid|unable|could not)/i },
  {
    os: 'linux',
    codes: [137],
    line: /Waiting for .{0,40}\block|wait_for_\w{1,20}_locks|Could not get lock/i,
  },
  { os: 'linux', codes: [125], line: /^timeout: / },
  {
    os: 'windows',
    groups: ['download', 'registry'],
    line: /BlobNotFound|blob does not exist|40[134]|timed out|could not be resolved/i,
  },
  { groups: ['dns'], line: LOOKUP },
  { groups: ['dns'], line: /\b(?:nslookup|dig|resolvectl)\b/ },
  { groups: ['egress', 'apiServer', 'download', 'registry', 'metadata', 'tlsBootstrap'], line: CONNECTION },
  {
    groups: ['registry'],
    line: /unauthorized|denied|status code \d{3}|refresh token|manifest unknown|failed to (?:pull|resolve)|oras.{0,100}(?:not found|error)/i,
  },
  { groups: ['download'], line: /(?:HTTP\S*|error:?|status) [45]\d\d\b|^tar: |^gzip: |checksum|Hash Sum/i },
  {
    groups: ['packages', 'gpu'],
    line: /^E: |^Err:|^dpkg: |Could not get lock|Hash Sum mismatch|GPG error|Unable to (?:locate|fetch)|^Error\(\d+\)/,
  },
  { groups: ['gpu'], line: /(?:nvidia|NVRM|cuda|dkms|modprobe).{0,200}(?:fail|error|not|unable)/i },
  { groups: ['disk'], line: /No space left|fallocate|mkswap|insufficient/i },
  { groups: ['metadata'], line: /169\.254\.169\.254|\bIMDS\b/i },
  { groups: ['trust', 'tlsBootstrap'], line: /x509|certificate|\bPEM\b|unauthorized|forbidden/i },
  { groups: ['system'], line: /^sysctl: |^modprobe: |Failed to \w+ unit/ },
  { groups: ['cloudInit'], line: /cloud-init.{0,200}(?:error|fail)|^status: error/i },
  { groups: ['runtime', 'kubelet', 'system', 'dns', 'gpu'], line: UNIT },
  {
    line: /\b(?:error|fatal|fail(?:ed|ure|s)?|cannot|can't|could not|couldn't|unable to|denied|refused|timed out|unreachable|not found|no such|invalid|unauthorized|forbidden|unbound variable|panic|killed|does not)\b|(?:Error|Exception)\b/i,
  },
];

/** Codes of a time limit: a package lock that was held until then is a cause of its own, and any other was released. */
export const RELEASED_LOCK: Pick<DecisiveRow, 'line'> & { readonly codes: readonly number[] } = {
  codes: [98, 124],
  line: /Waiting for .{0,40}\block|wait_for_\w{1,20}_locks|\bfuser\b|Could not get lock|lock is locked|is another process using it/i,
};

/** Lines that look like a failure and are none, or repeat what the code says. */
export const NOISE: readonly RegExp[] = [
  /command terminated with exit status/,
  /^'?\.? ?More information on troubleshooting/,
  /^(?:VMExtension\w+|ProvisioningState\/\w+.{0,20})$/,
  /^\{ ?"ExitCode"/,
  /\bsucceeded!$/,
  /^% Total|^\d+ +\d+ +\d+ +\d+ +\d+/,
  // Names of codes that the script defines, and tests of its own values.
  /^\++ (?:local |export |readonly )?\w+=\S*$/,
  /^\++ (?:exit|set|return|true|false|break|continue|shift)\b/,
  /^\++ (?:\[|'\['|test |\(\()/,
];
