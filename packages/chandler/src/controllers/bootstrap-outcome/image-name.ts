/** The image of a machine in few words, for labels and people: `2204gen2containerd/202607.13.0`. */

const LONGEST = 120;

export function imageName(image: string | undefined): string {
  if (image === undefined || image === '') return '';
  const match = /\/images\/([^/]+)\/versions\/([^/]+)\/?$/i.exec(image);
  return match === null ? image.slice(-LONGEST) : `${match[1]}/${match[2]}`.slice(-LONGEST);
}
