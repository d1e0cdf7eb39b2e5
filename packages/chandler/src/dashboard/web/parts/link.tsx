/** Links inside the page: real addresses, followed without loading the page again. */
import type { ComponentChildren } from 'preact';
import { useApp } from '../app-context.ts';
import { formatRoute, type Route, toObject } from '../model/route.ts';

export interface LinkProps {
  readonly to: Route;
  readonly class?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

export function Link({ to, current, children, ...rest }: LinkProps) {
  const { navigation } = useApp();
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigation.go(to);
  };
  return (
    <a href={formatRoute(to)} onClick={follow} {...rest} {...(current ? { 'aria-current': 'page' } : {})}>
      {children}
    </a>
  );
}

/** `Node/x`, as a link to its page. Kinds without a page are text; in a recording all are, as it has no pages of objects. */
export function Subject({
  subject,
  children,
}: {
  readonly subject: string;
  readonly children?: ComponentChildren;
}) {
  // Who replaces the recording renders everything: nothing is listened to for each link.
  const { replay } = useApp().playback;
  const kind = subject.split('/', 1)[0]!;
  const text = children ?? subject;
  if (replay !== null || !PAGES.test(kind)) return <span class="name">{text}</span>;
  return (
    <Link to={toObject(subject)} class="name">
      {text}
    </Link>
  );
}

const PAGES = /^(Node|NodeClaim|Pod|NodePool|\w*NodeClass)$/;
