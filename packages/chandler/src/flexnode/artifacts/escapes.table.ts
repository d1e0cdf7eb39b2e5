/**
 * Versions of runc and containerd with a published way out of a container. Preflight warns about them; the table decides
 * nothing. A branch without a row is older than every fix, or newer than all of them.
 */

export interface KnownEscape {
  readonly program: 'runc' | 'containerd';
  readonly ids: readonly string[];
  readonly what: string;
  /** The first fixed version of each branch that got a fix. Versions of older branches are affected. */
  readonly fixedIn: readonly string[];
}

export const KNOWN_ESCAPES: readonly KnownEscape[] = [
  {
    program: 'runc',
    ids: ['CVE-2025-31133', 'CVE-2025-52565', 'CVE-2025-52881'],
    what: 'a container can write to files of the host through mounts that runc prepares',
    fixedIn: ['1.2.8', '1.3.3', '1.4.0'],
  },
  {
    program: 'runc',
    ids: ['CVE-2024-21626'],
    what: 'a container can reach the file system of the host through a leaked file descriptor',
    fixedIn: ['1.1.12'],
  },
  {
    program: 'containerd',
    ids: ['CVE-2026-53488'],
    what: 'a label of an image can run a command on the host',
    fixedIn: ['1.7.33', '2.0.10', '2.1.9', '2.2.5', '2.3.2'],
  },
];
