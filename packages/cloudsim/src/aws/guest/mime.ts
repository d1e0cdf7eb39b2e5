/** Parts of user data as cloud-init and nodeadm read them: a MIME document of several parts, or one text. */

export interface Part {
  /** `text/x-shellscript`; by its first line where it has none. */
  readonly type: string;
  readonly body: string;
}

export function partsOf(userData: string): readonly Part[] {
  const text = userData.replaceAll('\r\n', '\n');
  if (!/^(?:MIME-Version|Content-Type):/im.test(text.slice(0, 200)) || !/boundary=/i.test(text))
    return [{ type: typeOf(text), body: text }];
  const boundary = /boundary="?([^"\s;]+)"?/i.exec(text)?.[1] ?? '';
  return text
    .split(new RegExp(`^--${boundary.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}(?:--)?[ \\t]*$`, 'm'))
    .slice(1)
    .flatMap((part) => {
      const [head = '', ...rest] = part.replace(/^\n/, '').split(/\n\n/);
      const body = rest.join('\n\n');
      if (body.trim() === '') return [];
      const type = /^Content-Type:\s*([^\s;]+)/im.exec(head)?.[1] ?? typeOf(body);
      const encoded = /^Content-Transfer-Encoding:\s*base64/im.test(head);
      return [{ type: type.toLowerCase(), body: encoded ? Buffer.from(body, 'base64').toString() : body }];
    });
}

// ---------------------------------------------------------------------------------------------------

function typeOf(text: string): string {
  if (text.startsWith('#!')) return 'text/x-shellscript';
  if (text.startsWith('#cloud-config')) return 'text/cloud-config';
  if (/^apiVersion:\s*node\.eks\.aws\//m.test(text)) return 'application/node.eks.aws';
  return 'text/plain';
}
