import type { Plugin } from 'vite';

const IMPORT = /import \{([^}]+)\} from 'lucide-react';/g;

/**
 * Imports each icon from its own file. Through the index of lucide-react, the bundler sees no more than that a page
 * needs the index, and would load the icons of all pages with the first.
 */
export function lucideIcons(): Plugin {
  return {
    name: 'adfolio-lucide-icons',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /[\\/]src[\\/].*\.tsx?$/, code: "from 'lucide-react'" },
      handler: (code) => code.replace(IMPORT, (_, names: string) => importsOf(names)),
    },
  };
}

export function importsOf(names: string): string {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => {
      const [icon = '', local = icon] = name.split(' as ');
      return `import ${local} from 'lucide-react/icons/${fileOf(icon)}';`;
    })
    .join(' ');
}

/** `Repeat2` is in `repeat-2`. */
function fileOf(name: string): string {
  return name.replace(/(?!^)(?=[A-Z\d])/g, '-').toLowerCase();
}
