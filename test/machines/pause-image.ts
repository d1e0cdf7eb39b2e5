/** A container image of one static program, as an OCI archive that `ctr images import` takes. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function writeImage(options: {
  readonly program: string;
  readonly name: string;
  readonly architecture: string;
  readonly work: string;
  readonly file: string;
}): void {
  const { program, name, architecture, work, file } = options;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(join(work, 'layer'), { recursive: true });
  mkdirSync(join(work, 'oci', 'blobs', 'sha256'), { recursive: true });
  copyFileSync(program, join(work, 'layer', 'pause'));
  tar([
    '-cf',
    join(work, 'layer.tar'),
    '-C',
    join(work, 'layer'),
    '--owner=0',
    '--group=0',
    '--mode=0755',
    'pause',
  ]);
  const put = (content: Buffer) => {
    const digest = createHash('sha256').update(content).digest('hex');
    writeFileSync(join(work, 'oci', 'blobs', 'sha256', digest), content);
    return { digest: `sha256:${digest}`, size: content.length };
  };
  const layer = put(readFileSync(join(work, 'layer.tar')));
  const config = put(
    json({
      architecture,
      os: 'linux',
      config: { Entrypoint: ['/pause'], User: '65535:65535' },
      rootfs: { type: 'layers', diff_ids: [layer.digest] },
    }),
  );
  const manifest = put(
    json({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
      layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...layer }],
    }),
  );
  writeFileSync(
    join(work, 'oci', 'index.json'),
    json({
      schemaVersion: 2,
      manifests: [
        {
          mediaType: 'application/vnd.oci.image.manifest.v1+json',
          ...manifest,
          platform: { architecture, os: 'linux' },
          annotations: { 'io.containerd.image.name': name },
        },
      ],
    }),
  );
  writeFileSync(join(work, 'oci', 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }));
  tar(['-cf', file, '-C', join(work, 'oci'), 'oci-layout', 'index.json', 'blobs']);
}

// ---------------------------------------------------------------------------------------------------

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function tar(args: readonly string[]): void {
  const result = spawnSync('tar', args, { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`tar failed: ${result.stderr}`);
}
