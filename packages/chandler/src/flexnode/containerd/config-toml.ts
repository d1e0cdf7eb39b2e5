/**
 * containerd's `config.toml`: schema 2 for 1.x, schema 3 for 2.x, with the same meaning. What the operator adds is laid
 * over it, table by table, because containerd itself replaces a plugin's whole table by an imported one.
 */
import { parse, TomlError, type TomlTable } from 'smol-toml';
import type { FlexConfig } from '../config/config.ts';
import { tomlComplaint } from '../config/extra-config.ts';
import { FlexError } from '../flex-error.ts';
import { parseVersion } from '../kubelet/version.ts';
import { layOver, renderToml } from './render-toml.ts';

export const RUNC_PATH = '/usr/local/sbin/runc';
export const REGISTRY_FOLDER = '/etc/containerd/certs.d';

export function renderConfigToml(config: FlexConfig): string {
  const own = schemaOf(config.containerd.version) === 3 ? schema3(config) : schema2(config);
  const merged = layOver(own, extraConfig(config));
  return `# Written by chandler flexnode. Use containerd.extraConfig to change it.\n${renderToml(merged)}`;
}

/** Thrown as a `FlexError` of class config when it is not TOML. */
export function extraConfig(config: FlexConfig): TomlTable {
  const text = config.containerd.extraConfig;
  if (text === undefined) return {};
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new FlexError({
      class: 'config',
      code: 'containerd.extra-config',
      where: 'containerd.extraConfig',
      line: error.line,
      message: `containerd.extraConfig is not TOML: line ${error.line}: ${tomlComplaint(error)}`,
      remedy: 'Correct that line.',
    });
  }
}

export function schemaOf(version: string): 2 | 3 {
  return (parseVersion(version)?.major ?? 1) >= 2 ? 3 : 2;
}

// ---------------------------------------------------------------------------------------------------

function schema2({ containerd, paths }: FlexConfig): TomlTable {
  return {
    version: 2,
    oom_score: 0,
    plugins: {
      'io.containerd.grpc.v1.cri': {
        sandbox_image: containerd.pauseImage,
        containerd: RUNTIMES,
        cni: { bin_dir: paths.cni.binDir, conf_dir: paths.cni.confDir },
        registry: { config_path: REGISTRY_FOLDER },
      },
    },
    metrics: { address: containerd.metricsAddress },
  };
}

function schema3({ containerd, paths }: FlexConfig): TomlTable {
  return {
    version: 3,
    oom_score: 0,
    plugins: {
      'io.containerd.cri.v1.images': {
        pinned_images: { sandbox: containerd.pauseImage },
        registry: { config_path: REGISTRY_FOLDER },
      },
      'io.containerd.cri.v1.runtime': {
        containerd: RUNTIMES,
        cni: { ...cniFolder(containerd.version, paths.cni.binDir), conf_dir: paths.cni.confDir },
      },
    },
    metrics: { address: containerd.metricsAddress },
  };
}

const RUNTIMES: TomlTable = {
  default_runtime_name: 'runc',
  runtimes: {
    runc: {
      runtime_type: 'io.containerd.runc.v2',
      options: { BinaryName: RUNC_PATH, SystemdCgroup: true },
    },
  },
};

/** 2.1 made a list of it, and later versions know nothing else. */
function cniFolder(version: string, binDir: string): TomlTable {
  const minor = parseVersion(version)?.minor ?? 0;
  return minor >= 1 ? { bin_dirs: [binDir] } : { bin_dir: binDir };
}
