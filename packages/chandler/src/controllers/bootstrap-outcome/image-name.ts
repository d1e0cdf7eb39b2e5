/** A short name of an image, for labels and messages: `2204gen2containerd/202607.13.0`. */

const MAX_LENGTH = 120;

export function imageName(image: string | undefined): string {
  if (image === undefined || image === '') return '';
  const match = /\/images\/([^/]+)\/versions\/([^/]+)\/?$/i.exec(image);
  return match === null ? image.slice(-MAX_LENGTH) : `${match[1]}/${match[2]}`.slice(-MAX_LENGTH);
}
