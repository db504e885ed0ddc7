"""
What if this label were known?
==============================

An expert looks at a gene and confirms one of its classes. The other classes move at once, exactly and
without fitting anything again.
"""

# %%
# A tree over the fourteen classes of yeast genes.
import matplotlib.pyplot as plt
import numpy as np

from setwise import ConditionalTree
from setwise.datasets import load

yeast = load("yeast")
model = ConditionalTree(l2=10.0).fit(yeast.X[:1500], yeast.Y[:1500])
joint = model.distribution(yeast.X[1500:1501])

# %%
# ``condition`` returns a distribution again. Here the fifth class is confirmed, and in another world it
# is ruled out.
names = list(yeast.label_names)
worlds = {
    "nothing known": joint,
    f"{names[4]} is on": joint.condition({4: 1}),
    f"{names[4]} is off": joint.condition({4: 0}),
}

figure, ax = plt.subplots(figsize=(8, 4))
for shift, (name, world) in zip((-0.27, 0, 0.27), worlds.items()):
    ax.bar(np.arange(14) + shift, world.marginals()[0], width=0.25, label=name)
ax.set(xticks=np.arange(14), ylabel="P(class on)", ylim=(0, 1))
ax.set_xticklabels(names, rotation=45, ha="right")
ax.legend(frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.15))
plt.show()

# %%
# Which class should the expert check next? The one that is expected to tell most about all others.
joint.next_question()

# %%
# A query asks for some labels given others, without making the conditioned distribution first.
joint.query([3], given={4: 1}), joint.query([3], given={4: 0})
