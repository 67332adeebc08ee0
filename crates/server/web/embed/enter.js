// The frame of somebody who is not signed in: it asks the page around it for a sign-in link and uses it.

let asked = 0;

host.acts.hello = () => {
  host.say({ throughline: 'ready' });
  if (asked++ < 3) host.say({ throughline: 'sign-in' });
};

host.acts['sign-in'] = async ({ link }) => {
  const told = document.getElementById('told');
  const given = URL.canParse(link) ? new URL(link).searchParams.get('link') : link;
  const answer = await fetch('/embed/sign-in', { method: 'POST', body: new URLSearchParams({ link: given ?? '' }) }).catch(() => null);
  if (answer?.ok) return location.replace('/embed');
  told.hidden = false;
};
