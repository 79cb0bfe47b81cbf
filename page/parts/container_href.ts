/** The address of the screen of one container. */
export const containerHref = (
  { backend, name }: { readonly backend: string; readonly name: string },
): string => `/c/${encodeURIComponent(backend)}/${encodeURIComponent(name)}`;
