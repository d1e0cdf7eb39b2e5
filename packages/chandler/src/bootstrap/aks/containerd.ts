/** The configuration of containerd on a node; the image brings the program. */

export const PAUSE_IMAGE = 'mcr.microsoft.com/oss/kubernetes/pause:3.6';

/** With a GPU driver the NVIDIA runtime wraps runc. */
export function containerdConfig(options: { readonly nvidia: boolean }): string {
  const runtime = options.nvidia
    ? { name: 'nvidia-container-runtime', binary: '/usr/bin/nvidia-container-runtime' }
    : { name: 'runc', binary: '/usr/bin/runc' };
  const plugin = 'plugins."io.containerd.grpc.v1.cri"';
  const runtimes = `${plugin}.containerd.runtimes`;
  return [
    'version = 2',
    'oom_score = 0',
    `[${plugin}]`,
    `  sandbox_image = "${PAUSE_IMAGE}"`,
    `  [${plugin}.containerd]`,
    `    default_runtime_name = "${runtime.name}"`,
    `    [${runtimes}.${runtime.name}]`,
    '      runtime_type = "io.containerd.runc.v2"',
    `      [${runtimes}.${runtime.name}.options]`,
    `        BinaryName = "${runtime.binary}"`,
    '        SystemdCgroup = true',
    `    [${runtimes}.untrusted]`,
    '      runtime_type = "io.containerd.runc.v2"',
    `      [${runtimes}.untrusted.options]`,
    `        BinaryName = "${runtime.binary}"`,
    `  [${plugin}.registry]`,
    '    config_path = "/etc/containerd/certs.d"',
    `  [${plugin}.registry.headers]`,
    '    X-Meta-Source-Client = ["azure/aks"]',
    '[metrics]',
    '  address = "0.0.0.0:10257"',
    '',
  ].join('\n');
}
