import { type FC, useState } from 'react'

interface Props<T> extends Base { title: string; render?(item: T): JSX.Element }

/* A card. */
export const Card: FC<Props<string>> = ({ title }) => {
  const [open, setOpen] = useState(false)
  function toggle(): void { setOpen(!open) }
  return <div onClick={toggle}><Title text={title} /></div>
}

export default class Page extends React.Component<Props<number>> {
  state = { open: false }
  render() { return <Card title="x" /> }
}
