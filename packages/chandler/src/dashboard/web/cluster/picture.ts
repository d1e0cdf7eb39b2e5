/** The whole picture of the cluster as a PNG, also what is not in sight. */
import { readPalette } from './palette.ts';
import type { Scene } from './scene.ts';

const MARGIN = 16;
/** Browsers refuse larger canvases. */
const MAX_SIDE = 16_000;

export function pictureOf(scene: Scene, style: Element, done: (file: Blob) => void): void {
  const { width, height } = scene.layout;
  const scale = Math.min(2, MAX_SIDE / (height + 2 * MARGIN), MAX_SIDE / (width + 2 * MARGIN));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round((width + 2 * MARGIN) * scale);
  canvas.height = Math.round((height + 2 * MARGIN) * scale);
  const context = canvas.getContext('2d')!;
  context.scale(scale, scale);
  context.fillStyle = readPalette(style).page;
  context.fillRect(0, 0, width + 2 * MARGIN, height + 2 * MARGIN);
  context.translate(MARGIN, MARGIN);
  scene.drawWhole(context);
  canvas.toBlob((file) => (file === null ? undefined : done(file)), 'image/png');
}
