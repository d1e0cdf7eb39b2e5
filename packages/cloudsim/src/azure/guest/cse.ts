/**
 * The provisioning script of an AKS node image, as far as its variables decide: steps in its order, each adding lines to
 * its trace, and the exit code of the first that fails. Codes and order: AgentBaker, parts/linux/cloud-init, 2026-08.
 */
import { X509Certificate } from 'node:crypto';
import { parse as parseToml, TomlError } from 'smol-toml';
import { CODE_TRACES } from './cse-traces.table.ts';

export interface ClusterFacts {
  /** Names and addresses under which nodes reach the API server. */
  readonly hosts: readonly string[];
  /** The CA of its certificate; undefined: any CA is accepted. */
  readonly caPem: string | undefined;
  /** `1.36.3`. */
  readonly version: string;
}

export interface CseInput {
  readonly environment: ReadonlyMap<string, string>;
  readonly cluster: ClusterFacts;
  readonly gpus: number;
  readonly diskSizeGB: number;
  /** What a fault removes. */
  readonly lost?: 'network' | 'dns';
  /** Exits with this code, whatever the variables say. */
  readonly exitCode?: number;
  /** The last lines of the trace in that case; default: those of the code. */
  readonly trace?: readonly string[];
}

export interface CseEnd {
  readonly exitCode: number;
  /** Lines of `bash -x`. */
  readonly trace: readonly string[];
  /** How long the real script retries before it fails. */
  readonly realDurationMs: number;
  /** `1.34.2`; undefined: there is no kubelet on the disk. */
  readonly kubeletVersion: string | undefined;
}

export function runCse(input: CseInput): CseEnd {
  const run = new Run(input);
  if (input.exitCode !== undefined && input.exitCode !== 0) {
    run.trace.push(...(input.trace ?? CODE_TRACES[input.exitCode] ?? []));
    return run.end(input.exitCode);
  }
  for (const step of STEPS) {
    const code = step(run);
    if (code !== undefined) return run.end(code);
  }
  return run.end(0);
}

/** Is one of the certificates in the bundle the authority of the API server? */
export function trusts(bundle: string | undefined, caPem: string | undefined): boolean {
  if (caPem === undefined) return (bundle ?? '') !== '';
  const given = certificates(bundle ?? '');
  const wanted = certificates(caPem)[0];
  return wanted !== undefined && given.some((each) => each.equals(wanted));
}

/** Undefined if the text is not base64. */
export function decodeBase64(text: string): string | undefined {
  const compact = text.replace(/\s+/g, '');
  const isBase64 = compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact);
  return isBase64 ? Buffer.from(compact, 'base64').toString() : undefined;
}

/** 34 of `1.34.2`. */
export function minorOf(version: string): number {
  return Number(/^v?1\.(\d+)/.exec(version)?.[1] ?? 0);
}

// ---------------------------------------------------------------------------------------------------

class Run {
  readonly trace: string[] = [];
  readonly input: CseInput;
  realDurationMs = 0;
  kubeletVersion: string | undefined;

  constructor(input: CseInput) {
    this.input = input;
  }

  get(name: string): string {
    return this.input.environment.get(name) ?? '';
  }

  is(name: string): boolean {
    return this.get(name) === 'true';
  }

  end(exitCode: number): CseEnd {
    const { trace, realDurationMs, kubeletVersion } = this;
    if (exitCode !== 0) trace.push(`+ exit ${exitCode}`);
    return { exitCode, trace, realDurationMs, kubeletVersion };
  }
}

/** The exit code on failure. */
type Step = (run: Run) => number | undefined;

const ERR_SYSTEMCTL_START_FAIL = 4;
const ERR_FILE_WATCH_TIMEOUT = 6;
const ERR_K8S_DOWNLOAD_TIMEOUT = 31;
const ERR_OUTBOUND_CONN_FAIL = 50;
const ERR_K8S_API_SERVER_CONN_FAIL = 51;
const ERR_K8S_API_SERVER_AZURE_DNS_LOOKUP_FAIL = 53;
const ERR_GPU_DRIVERS_START_FAIL = 84;
const ERR_SYSCTL_RELOAD = 103;
const ERR_KUBELET_INSTALL_FAIL = 121;
const ERR_SWAP_CREATE_FAIL = 130;
const ERR_SWAP_CREATE_INSUFFICIENT_DISK_SPACE = 131;
const ERR_UPDATE_CA_CERTS = 161;
const ERR_CREDENTIAL_PROVIDER_DOWNLOAD_TIMEOUT = 205;

const HELPERS = '/opt/azure/containers/provision_source.sh';
/** Kubelets up to the first version are downloaded from a URL, later ones are installed as a package. */
const PACKAGED_MINOR = 34;
const PACKAGED_CREDENTIALS_MINOR = 33;
const SECOND = 1000;

const STEPS: readonly Step[] = [
  findHelpers,
  trustCustomCertificates,
  installKubelet,
  configureContainerd,
  configureSwap,
  ensureSysctl,
  writeClusterCa,
  ensureGpuDrivers,
  reachApiServer,
  installCredentialProvider,
  startKubelet,
];

function findHelpers(run: Run): number | undefined {
  const path = run.get('CSE_HELPERS_FILEPATH');
  if (path !== HELPERS) {
    run.realDurationMs = 120 * SECOND;
    run.trace.push(`+ '[' -s '${path}' ']'`, "+ '[' 120 -eq 120 ']'");
    return ERR_FILE_WATCH_TIMEOUT;
  }
  run.trace.push(`+ source ${path}`, `+ source ${run.get('CSE_INSTALL_FILEPATH')}`);
  return undefined;
}

function trustCustomCertificates(run: Run): number | undefined {
  if (!run.is('SHOULD_CONFIGURE_CUSTOM_CA_TRUST')) return undefined;
  run.trace.push('+ logs_to_events AKS.CSE.configureCustomCaCertificate configureCustomCaCertificate');
  const count = Number(run.get('CUSTOM_CA_TRUST_COUNT'));
  for (let at = 0; at < count; at++)
    if (certificates(decodeBase64(run.get(`CUSTOM_CA_CERT_${at}`)) ?? '').length === 0) {
      run.trace.push('+ systemctl restart update_certs.service', 'Job for update_certs.service failed.');
      return ERR_UPDATE_CA_CERTS;
    }
  return undefined;
}

/** Which kubelet ends up on the disk: the one behind the URL, or the package of the version. */
function installKubelet(run: Run): number | undefined {
  const wanted = run.get('KUBERNETES_VERSION').replace(/^v/, '');
  const version = /^1\.(\d{1,2})\.\d{1,3}$/.exec(wanted);
  const custom = run.get('CUSTOM_KUBE_BINARY_URL');
  run.trace.push('+ logs_to_events AKS.CSE.configureKubeletAndKubectl configureKubeletAndKubectl');
  if (version !== null && Number(version[1]) >= PACKAGED_MINOR && custom === '') {
    run.trace.push(`+ installKubeletKubectlFromPkg ${wanted}`);
    if (Number(version[1]) > minorOf(run.input.cluster.version)) {
      run.trace.push(`E: Version '${wanted}-*' for 'kubelet' was not found`);
      return ERR_KUBELET_INSTALL_FAIL;
    }
    run.kubeletVersion = wanted;
    return undefined;
  }
  const url = custom || run.get('KUBE_BINARY_URL');
  if (url === '' && version !== null) {
    run.trace.push(`mv: cannot stat '/opt/bin/kubelet-${wanted}': No such file or directory`);
    return undefined;
  }
  const downloaded = /\/v(1\.\d{1,2}\.\d{1,3})\/.*\.tar\.gz$/.exec(url)?.[1];
  run.trace.push(`+ extractKubeBinaries ${wanted} ${url} false`);
  if (version === null || downloaded === undefined) {
    run.realDurationMs = 600 * SECOND;
    run.trace.push(
      `+ retrycmd_get_tarball 120 5 60 /opt/kubernetes/downloads/${url.split('/').at(-1)} ${url} 300`,
    );
    return ERR_K8S_DOWNLOAD_TIMEOUT;
  }
  run.kubeletVersion = downloaded;
  return undefined;
}

function configureContainerd(run: Run): number | undefined {
  run.trace.push('+ logs_to_events AKS.CSE.ensureContainerd ensureContainerd', '+ base64 -d');
  const content = decodeBase64(run.get('CONTAINERD_CONFIG_CONTENT'));
  if (content === undefined) {
    run.trace.push('base64: invalid input');
    return ERR_FILE_WATCH_TIMEOUT;
  }
  if (isToml(content)) return undefined;
  run.trace.push('+ systemctl_restart_no_block 100 5 30 containerd', 'containerd is in a failed state');
  return ERR_SYSTEMCTL_START_FAIL;
}

function isToml(text: string): boolean {
  try {
    parseToml(text);
    return true;
  } catch (error) {
    if (error instanceof TomlError) return false;
    throw error;
  }
}

function configureSwap(run: Run): number | undefined {
  if (!run.is('SHOULD_CONFIG_SWAP_FILE')) return undefined;
  run.trace.push('+ logs_to_events AKS.CSE.configureSwapFile configureSwapFile');
  const megabytes = run.get('SWAP_FILE_SIZE_MB');
  if (!/^\d{1,9}$/.test(megabytes)) return ERR_SWAP_CREATE_FAIL;
  return Number(megabytes) / 1024 > run.input.diskSizeGB * 0.8
    ? ERR_SWAP_CREATE_INSUFFICIENT_DISK_SPACE
    : undefined;
}

function ensureSysctl(run: Run): number | undefined {
  run.trace.push('+ logs_to_events AKS.CSE.ensureSysctl ensureSysctl');
  if (run.get('CSE_CONFIG_FILEPATH') === '') {
    run.trace.push('ensureSysctl: command not found');
    return ERR_SYSCTL_RELOAD;
  }
  const content = decodeBase64(run.get('SYSCTL_CONTENT'));
  const bad = content?.split('\n').find((line) => !/^\s*(?:$|[#;]|-?[\w./-]+\s*=\s*\S)/.test(line));
  if (content !== undefined && bad === undefined) return undefined;
  run.realDurationMs = 120 * SECOND;
  run.trace.push(
    content === undefined
      ? 'base64: invalid input'
      : 'sysctl: /etc/sysctl.d/999-sysctl-aks.conf: invalid syntax',
    '+ retrycmd_if_failure 24 5 25 sysctl --system',
  );
  return ERR_SYSCTL_RELOAD;
}

/** The script does not check the file before it is used. */
function writeClusterCa(run: Run): undefined {
  run.trace.push('+ logs_to_events AKS.CSE.configureAzureJson configureAzureJson');
  run.trace.push('+ logs_to_events AKS.CSE.ensureKubeCACert ensureKubeCACert');
}

function ensureGpuDrivers(run: Run): number | undefined {
  if (!run.is('GPU_NODE') || !run.is('CONFIG_GPU_DRIVER_IF_NEEDED')) return undefined;
  run.trace.push('+ logs_to_events AKS.CSE.ensureGPUDrivers ensureGPUDrivers');
  const image = `${run.get('GPU_DRIVER_VERSION')}-${run.get('GPU_IMAGE_SHA')}`;
  const pulled = /^\d+(?:\.\d+)+-\d+$/.test(image);
  if (!pulled)
    run.trace.push(`ctr: failed to resolve reference "mcr.microsoft.com/aks/aks-gpu-cuda:${image}"`);
  else if (run.input.gpus === 0) run.trace.push('NVIDIA-SMI has failed because no devices were found');
  else return undefined;
  run.realDurationMs = 300 * SECOND;
  return ERR_GPU_DRIVERS_START_FAIL;
}

/** A name is resolved and called with the CA of the cluster; for an address, only the port is tried. */
function reachApiServer(run: Run): number | undefined {
  const { cluster, lost } = run.input;
  const name = run.get('API_SERVER_NAME').replace(/:\d+$/, '');
  const known = cluster.hosts.includes(name.toLowerCase());
  const isAddress = /^\d+\.\d+\.\d+\.\d+$/.test(name);
  run.realDurationMs = 300 * SECOND;
  if (!isAddress && (!known || lost === 'dns')) {
    run.trace.push(
      `+ retrycmd_nslookup 1 15 300 ${name}`,
      'Server: 168.63.129.16',
      `** server can't find ${name}: NXDOMAIN`,
    );
    return apiServerCheck(run, ERR_K8S_API_SERVER_AZURE_DNS_LOOKUP_FAIL);
  }
  if (lost === 'dns') {
    // An address needs no name service; the registry, which the script tries as well, does.
    run.trace.push(
      '+ retrycmd_if_failure 60 1 5 curl -v --insecure --proxy-insecure https://mcr.microsoft.com/v2/',
      'curl: (6) Could not resolve host: mcr.microsoft.com',
    );
    return ERR_OUTBOUND_CONN_FAIL;
  }
  const url = `https://${name}:443`;
  run.trace.push(
    isAddress
      ? `+ retrycmd_if_failure 300 1 10 nc -vz ${name} 443`
      : `+ retrycmd_if_failure 34 1 15 curl -v --cacert /etc/kubernetes/certs/ca.crt ${url}`,
  );
  if (!known || lost === 'network') {
    run.trace.push(
      isAddress ? `nc: connect to ${name} port 443 (tcp) timed out` : 'curl: (28) Connection timed out',
    );
    return apiServerCheck(run, ERR_K8S_API_SERVER_CONN_FAIL);
  }
  if (!isAddress && !trusts(decodeBase64(run.get('KUBE_CA_CRT')), cluster.caPem)) {
    run.trace.push('curl: (60) SSL certificate problem: unable to get local issuer certificate');
    return apiServerCheck(run, ERR_K8S_API_SERVER_CONN_FAIL);
  }
  run.realDurationMs = 0;
  return apiServerCheck(run, 0);
}

function apiServerCheck(run: Run, code: number): number | undefined {
  run.trace.push(`+ echo 'API server connection check code: ${code}'`);
  return code === 0 ? undefined : code;
}

function installCredentialProvider(run: Run): number | undefined {
  const flags = run.get('KUBELET_FLAGS');
  const wanted =
    flags.includes('image-credential-provider-config') && flags.includes('image-credential-provider-bin-dir');
  if (!wanted || run.kubeletVersion === undefined) return undefined;
  const url = run.get('CREDENTIAL_PROVIDER_DOWNLOAD_URL');
  if (minorOf(run.kubeletVersion) >= PACKAGED_CREDENTIALS_MINOR || /^https:\/\/.+\.tar\.gz$/.test(url))
    return undefined;
  run.realDurationMs = 600 * SECOND;
  run.trace.push(`+ retrycmd_get_tarball 120 5 60 /opt/credentialprovider/downloads/ ${url}`);
  return ERR_CREDENTIAL_PROVIDER_DOWNLOAD_TIMEOUT;
}

/** Started without waiting: its result is only in its own log. */
function startKubelet(run: Run): undefined {
  run.trace.push(
    '+ logs_to_events AKS.CSE.ensureKubelet ensureKubelet',
    '+ systemctl restart --no-block kubelet',
  );
  if (run.kubeletVersion === undefined) run.trace.push('kubelet is still activating, continuing anyway...');
}

/** DER of each certificate of a PEM text. */
function certificates(pem: string): Buffer[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block).raw];
    } catch {
      return [];
    }
  });
}
