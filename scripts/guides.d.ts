export function guidesByRole(): Map<
  string,
  { readonly title: string; readonly file: string; readonly reader: string }[]
>
export function allGuides(): string
export function llmsIndex(manifest: { readonly name: string; readonly description: string }): string
