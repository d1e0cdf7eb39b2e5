/**
 * The Debian packages of the image, by architecture, and the emulator that its test runs the other architecture with. Written
 * by `node scripts/image/debian-pins.ts` from the signed indexes of trixie and trixie-security, on 2026-11-17.
 */
/** A time at which Debian had them, as its archive of snapshots names it. */
export const PINNED_AT = '20261117T193147Z';

export const DEBIAN_PACKAGES = {
  amd64: [
    {
      name: 'base-files',
      version: '13.8+deb13u7',
      file: 'debian/pool/main/b/base-files/base-files_13.8+deb13u7_amd64.deb',
      sha256: 'fcd42bb5cb63f7bfc4326a92541247872206d60a192fdff65ca14eb83ed408b9',
    },
    {
      name: 'gcc-14-base',
      version: '14.2.0-19',
      file: 'debian/pool/main/g/gcc-14/gcc-14-base_14.2.0-19_amd64.deb',
      sha256: '5b6825de4263824b78c4c51f6476414f3b4e89c2ab63e81dc8b9b5501e867cf6',
    },
    {
      name: 'libc6',
      version: '2.41-12+deb13u4',
      file: 'debian/pool/main/g/glibc/libc6_2.41-12+deb13u4_amd64.deb',
      sha256: '967aa62605721081c3eb2a17650611a792aa802d76a6511d1840242623d204c9',
    },
    {
      name: 'libgcc-s1',
      version: '14.2.0-19',
      file: 'debian/pool/main/g/gcc-14/libgcc-s1_14.2.0-19_amd64.deb',
      sha256: '3c71917b490d1a17aed43196a2787a256ecf060526cdb20216a74bedc061b150',
    },
    {
      name: 'libstdc++6',
      version: '14.2.0-19',
      file: 'debian/pool/main/g/gcc-14/libstdc++6_14.2.0-19_amd64.deb',
      sha256: 'ab1fa05837aa7a92aae748fd07a18a35f7d18bb4a71c4724fe2bbf0e32089de0',
    },
  ],
  arm64: [
    {
      name: 'base-files',
      version: '13.8+deb13u7',
      file: 'debian/pool/main/b/base-files/base-files_13.8+deb13u7_arm64.deb',
      sha256: '5330362213dc8b9327a56383104235c269797d5db2fd8688f535298d4c44e4d2',
    },
    {
      name: 'gcc-14-base',
      version: '14.2.0-19',
      file: 'debian/pool/main/g/gcc-14/gcc-14-base_14.2.0-19_arm64.deb',
      sha256: '34ee90679b018c0e64234747a4c4c0ae6b7f63541115037465a8627c2dfbc594',
    },
    {
      name: 'libc6',
      version: '2.41-12+deb13u4',
      file: 'debian/pool/main/g/glibc/libc6_2.41-12+deb13u4_arm64.deb',
      sha256: '8784eda966b189c777a384dac5ce009e8fc9b52d006926c5a013e7fa8aa688cc',
    },
    {
      name: 'libgcc-s1',
      version: '14.2.0-19',
      file: 'debian/pool/main/g/gcc-14/libgcc-s1_14.2.0-19_arm64.deb',
      sha256: '1108bc87879833d6d9a145f22a4a15cddb34e065b4b5f4b97bee586adbac2851',
    },
    {
      name: 'libstdc++6',
      version: '14.2.0-19',
      file: 'debian/pool/main/g/gcc-14/libstdc++6_14.2.0-19_arm64.deb',
      sha256: '6669b0c52a2e7c6af9adfdabce3ff6e286065cdfbc7b85280862b5f799daebee',
    },
  ],
} as const;

export const EMULATOR = {
  name: 'qemu-user',
  version: '1:10.0.13+ds-0+deb13u1',
  file: 'debian/pool/main/q/qemu/qemu-user_10.0.13+ds-0+deb13u1_amd64.deb',
  sha256: 'ca6ede739327a20ae5a3498230c8a3a9a072c586e131bc6bcc1201eb1725e336',
} as const;
