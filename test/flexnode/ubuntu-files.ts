/** The files of a plain Ubuntu machine, as far as a bootstrap looks at them or changes them. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const FILES: Readonly<Record<string, string>> = {
  '/etc/os-release':
    'PRETTY_NAME="Ubuntu 22.04.5 LTS"\nNAME="Ubuntu"\nVERSION_ID="22.04"\nVERSION="22.04.5 LTS (Jammy Jellyfish)"\nVERSION_CODENAME=jammy\nID=ubuntu\nID_LIKE=debian\n',
  '/etc/hostname': 'edge-01\n',
  '/etc/machine-id': '0f1e2d3c4b5a69788796a5b4c3d2e1f0\n',
  '/sys/class/dmi/id/product_uuid': '4c4c4544-0042-3510-8052-b4c04f564432\n',
  '/etc/hosts': '127.0.0.1 localhost\n127.0.1.1 edge-01\n',
  '/etc/fstab':
    '# /etc/fstab: static file system information.\nUUID=6a1f-22 / ext4 defaults 0 1\n/swap.img\tnone\tswap\tsw\t0\t0\n',
  '/etc/old.conf': 'from before\n',
  '/etc/sysctl.conf': '# empty\n',
  '/etc/passwd': 'root:x:0:0:root:/root:/bin/bash\n',
  '/etc/systemd/system/multi-user.target.wants/ssh.service': 'stand-in\n',
  '/lib/systemd/system/ssh.service': '[Unit]\nDescription=ssh\n',
  '/run/systemd/resolve/stub-resolv.conf': 'nameserver 127.0.0.53\n',
  '/run/systemd/resolve/resolv.conf': 'nameserver 10.1.0.2\n',
  '/usr/bin/tool': 'from the distribution',
  '/var/lib/dpkg/status': 'Package: bash\nStatus: install ok installed\n',
  '/swap.img': 'swap',
  '/proc/swaps':
    'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/swap.img                               file\t\t2097148\t\t0\t\t-2\n',
  '/proc/modules': 'ext4 1 0 - Live 0x0\n',
  '/proc/filesystems': 'nodev\tproc\n\text4\n',
  '/proc/mounts': '/dev/sda1 / ext4 rw 0 0\n',
  '/proc/meminfo': 'MemTotal:        8000000 kB\nMemAvailable:    7000000 kB\n',
  '/proc/sys/kernel/panic': '0\n',
  '/proc/sys/kernel/panic_on_oops': '0\n',
  '/proc/sys/vm/panic_on_oom': '0\n',
  '/proc/sys/kernel/keys/root_maxkeys': '1000000\n',
  '/proc/sys/kernel/keys/root_maxbytes': '25000000\n',
  '/proc/sys/net/ipv4/ip_forward': '0\n',
  '/proc/sys/vm/overcommit_memory': '0\n',
  '/sys/fs/cgroup/cgroup.controllers': 'cpuset cpu io memory pids\n',
};

const FOLDERS: Readonly<Record<string, number>> = {
  '/etc/modules-load.d': 0o755,
  '/etc/sysctl.d': 0o755,
  '/etc/default': 0o755,
  '/opt': 0o755,
  '/root': 0o700,
  '/tmp': 0o1777,
  '/usr/local/bin': 0o755,
  '/usr/local/sbin': 0o755,
  '/usr/sbin': 0o755,
  '/var/lib': 0o755,
  '/var/log': 0o775,
  '/var/tmp': 0o1777,
};

const LINKS: Readonly<Record<string, string>> = {
  '/etc/resolv.conf': '../run/systemd/resolve/stub-resolv.conf',
  // Relative, so that a walk over this folder never leaves it.
  '/var/run': '../run',
};

const MODES: Readonly<Record<string, number>> = { '/usr/bin/tool': 0o755, '/swap.img': 0o600 };

export function layPlainTree(root: string): void {
  for (const [path, mode] of Object.entries(FOLDERS)) {
    mkdirSync(root + path, { recursive: true });
    chmodSync(root + path, mode);
  }
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(root + path), { recursive: true });
    writeFileSync(root + path, content);
    chmodSync(root + path, MODES[path] ?? 0o644);
  }
  for (const [path, target] of Object.entries(LINKS)) symlinkSync(target, root + path);
}
