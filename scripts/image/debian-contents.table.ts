/**
 * What the image takes from each Debian package: the libraries that Node.js loads, what says which release they are of, and
 * their copyright notices. Character sets, locales, debug libraries and documentation stay behind. Certificates and time
 * zones are not here because Node.js contains both.
 */
export interface DebianContents {
  /** Of what is taken, as SPDX expression. */
  readonly licence: string;
  /** Of entries of the archive. */
  readonly take: RegExp;
}

const NOTICES = 'usr/share/doc/[^/]+(/copyright)?';

export const DEBIAN_CONTENTS: Readonly<Record<string, DebianContents>> = {
  'base-files': {
    licence: 'GPL-2.0-or-later',
    take: new RegExp(
      `^(bin|lib|lib64|sbin|usr/bin|usr/lib|usr/lib64|usr/sbin|etc/(debian_version|os-release)|usr/lib/os-release|usr/share/common-licenses/.+|${NOTICES})$`,
    ),
  },
  'gcc-14-base': {
    licence: 'GPL-3.0-or-later WITH GCC-exception-3.1',
    take: new RegExp(`^${NOTICES}$`),
  },
  libc6: {
    licence: 'LGPL-2.1-or-later',
    take: new RegExp(
      `^(usr/lib(64|/[a-z0-9_]+-linux-gnu)?/(ld-linux-[a-z0-9_-]+|lib(c|dl|m|pthread|resolv|rt))\\.so\\.\\d+|${NOTICES})$`,
    ),
  },
  'libgcc-s1': {
    licence: 'GPL-3.0-or-later WITH GCC-exception-3.1',
    take: new RegExp(`^(usr/lib/[^/]+/libgcc_s\\.so\\.1|${NOTICES})$`),
  },
  'libstdc++6': {
    licence: 'GPL-3.0-or-later WITH GCC-exception-3.1',
    take: new RegExp(`^(usr/lib/[^/]+/libstdc\\+\\+\\.so\\.6[\\d.]*|${NOTICES})$`),
  },
};
